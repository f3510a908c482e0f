// The machines and beams of a whole node: what each command does at the pins, and what is told of it.
#include <algorithm>
#include <string>

#include "met.h"

using namespace node;

TEST(points_are_unknown_until_they_are_set) {
  for (uint32_t start : STARTS) {
    Armed bench(UNO, start);
    EQUAL(bench.board.servo_orders, 0);
    EQUAL(bench.tell("turnout 1 1"), "ok");
    EQUAL(bench.board.pulse_us[0], 1700);
    bench.pass(510);
    EQUAL(joined(bench.events()), "turnout 1 moving; turnout 1 thrown; ");
    bench.pass_beating(600);
    EQUAL(bench.board.pulse_us[0], 0);
    EQUAL(bench.tell("turnout 1 0"), "ok");
    bench.pass(198);
    CHECK(bench.board.pulse_us[0] >= 1498 && bench.board.pulse_us[0] <= 1502);
    bench.pass(210);
    EQUAL(joined(bench.events()), "turnout 1 moving; turnout 1 closed; ");
    EQUAL(bench.tell("turnout 1 0"), "ok");
    bench.pass(10);
    EQUAL(joined(bench.events()), "turnout 1 moving; turnout 1 closed; ");
  }
}

TEST(points_commanded_again_in_their_first_move_are_told_when_they_must_have_arrived) {
  Armed bench;
  EQUAL(bench.tell("turnout 1 1"), "ok");
  bench.pass(300);
  EQUAL(bench.tell("turnout 1 1"), "ok");
  bench.pass(490);
  EQUAL(joined(bench.events()), "turnout 1 moving; turnout 1 moving; ");
  bench.pass(20);
  EQUAL(joined(bench.events()), "turnout 1 thrown; ");
}

TEST(what_is_not_fitted_or_not_set_up_is_refused) {
  Met bench;
  bench.tell("beat");
  bench.tell("arm");
  EQUAL(bench.tell("turnout 1 1"), "no absent");
  EQUAL(bench.tell("turnout 3 1"), "no absent");
  EQUAL(bench.tell("magnet 4 10"), "no absent");
  EQUAL(bench.tell("turnout 0 1"), "no range");
  EQUAL(bench.tell("magnet 17 10"), "no range");
  EQUAL(bench.tell("magnet 257 10"), "no range");
  EQUAL(bench.tell("drive 1 382"), "no range");
  EQUAL(bench.board.servo_orders, 0);
  EQUAL(int(bench.board.duty), 0);
}

TEST(a_solenoid_gets_its_pulse_and_rests) {
  for (uint32_t start : STARTS) {
    Armed bench(UNO, start);
    EQUAL(bench.tell("turnout 2 1"), "ok");
    CHECK(bench.board.coils[1][1] && !bench.board.coils[1][0]);
    EQUAL(bench.tell("turnout 2 0"), "no resting");
    bench.pass(60);
    CHECK(!bench.board.coils[1][1]);
    EQUAL(joined(bench.events()), "turnout 2 moving; turnout 2 thrown; ");
    EQUAL(bench.tell("turnout 2 0"), "no resting");
    bench.pass(500);
    EQUAL(bench.tell("turnout 2 0"), "ok");
    CHECK(bench.board.coils[1][0]);
    EQUAL(bench.board.servo_orders, 0);
  }
}

TEST(a_magnet_is_never_on_for_longer_than_the_limit) {
  for (uint32_t start : STARTS) {
    Armed bench(UNO, start);
    EQUAL(bench.tell("magnet 3 501"), "no range");
    EQUAL(bench.tell("magnet 3 500"), "ok");
    CHECK(bench.board.magnets[2]);
    EQUAL(bench.tell("magnet 3 500"), "no resting");
    bench.pass(500);
    CHECK(!bench.board.magnets[2]);
    bench.pass(10);
    EQUAL(joined(bench.events()), "magnet 3 1; magnet 3 0; ");
    EQUAL(bench.tell("magnet 3 10"), "no resting");
    bench.pass_beating(2000);
    EQUAL(bench.tell("magnet 3 400"), "ok");
    EQUAL(bench.tell("magnet 3 0"), "ok");
    CHECK(!bench.board.magnets[2]);
    bench.pass(10);
    EQUAL(joined(bench.events()), "magnet 3 1; magnet 3 0; ");
    EQUAL(bench.tell("magnet 3 0"), "ok");
    CHECK(bench.events().empty());
  }
}

TEST(a_magnet_commanded_for_ever_rests_all_the_same) {
  for (uint32_t start : STARTS) {
    Armed bench(UNO, start);
    int on_ms = 0;
    int longest_ms = 0;
    int running_ms = 0;
    for (int i = 0; i < 20000; ++i) {
      const uint32_t before_ms = bench.now_ms;
      if (i % 100 == 0) bench.tell("beat");
      else if (i % 7 == 0) bench.tell("magnet 1 500");
      else if (i % 1013 == 0) bench.put("\x18");
      else if (i % 1019 == 0) bench.tell("arm");
      else bench.pass(1);
      const int passed_ms = int(bench.now_ms - before_ms);
      running_ms = bench.board.magnets[0] ? running_ms + passed_ms : 0;
      longest_ms = std::max(longest_ms, running_ms);
      on_ms += bench.board.magnets[0] ? passed_ms : 0;
    }
    const int all_ms = int(bench.now_ms - start);
    CHECK(on_ms > 1000);
    CHECK(longest_ms <= 502);
    // 500 ms on, 2000 ms of rest.
    CHECK(on_ms * 5 <= all_ms + 2500);
  }
}

TEST(a_coil_rests_after_a_start_too) {
  Met bench;
  bench.tell("beat");
  bench.tell("arm");
  EQUAL(bench.tell("magnet 1 100"), "no resting");
}

TEST(a_locomotive_speeds_up_and_slows_down_by_its_ramp) {
  for (uint32_t start : STARTS) {
    Armed bench(UNO, start);
    EQUAL(bench.tell("drive 1 100"), "ok");
    CHECK(bench.board.duty < 60);
    EQUAL(bench.tell("drive 0 100"), "no moving");
    bench.pass(600);
    EQUAL(int(bench.board.duty), 210);
    EQUAL(int(bench.board.direction), 1);
    bench.tell("beat");
    // Speed 0 with the other direction stops it, and turns nothing round while it runs.
    EQUAL(bench.tell("drive 0 0"), "ok");
    EQUAL(bench.tell("drive 0 10"), "no moving");
    bench.pass(200);
    CHECK(bench.board.duty > 0 && bench.board.duty < 210);
    EQUAL(int(bench.board.direction), 1);
    bench.pass(400);
    EQUAL(int(bench.board.duty), 0);
    EQUAL(bench.tell("drive 0 10"), "ok");
    bench.pass(100);
    EQUAL(int(bench.board.direction), 0);
    EQUAL(joined(bench.events()), "drive 1 100; drive 1 0; drive 0 10; ");
  }
}

TEST(an_armed_node_may_be_armed_again_only_while_nothing_is_commanded) {
  Armed bench;
  bench.tell("drive 1 10");
  EQUAL(bench.tell("arm"), "no moving");
  bench.pass(100);
  CHECK(bench.board.duty > 0 && bench.board.closed);
  bench.tell("drive 1 0");
  EQUAL(bench.tell("arm"), "ok");
}

TEST(beams_are_told_when_they_have_lasted) {
  for (uint32_t start : STARTS) {
    Armed bench(UNO, start);
    bench.board.high[0] = true;
    bench.pass(4);
    bench.board.high[0] = false;
    bench.pass(20);
    CHECK(bench.events().empty());
    bench.board.high[0] = true;
    bench.pass(8);
    bench.board.high[0] = false;
    bench.pass(12);
    EQUAL(joined(bench.events()), "beam 1 1; ");
    bench.pass(8);
    EQUAL(joined(bench.events()), "beam 1 0; ");
  }
}

TEST(a_beam_can_be_inverted) {
  Met bench;
  bench.pass(50);
  bench.lines();
  EQUAL(bench.tell("set 15 4 1"), "ok");
  bench.pass(20);
  EQUAL(joined(bench.events()), "beam 4 1; ");
  bench.board.high[3] = true;
  bench.pass(20);
  EQUAL(joined(bench.events()), "beam 4 0; ");
}

TEST(a_count_shows_what_was_lost_while_the_line_was_full) {
  Bench bench(MEGA);
  bench.pass(100);
  bench.lines();
  // Nothing leaves the board for a while.
  for (int i = 0; i < 60; ++i) {
    for (int beam = 0; beam < 12; ++beam) bench.board.high[beam] = i % 2 == 0;
    for (int ms = 0; ms < 20; ++ms) {
      bench.board.buffer_free = 0;
      bench.node.tick(++bench.now_ms);
    }
  }
  bench.pass(300);
  CHECK(bench.gaps > 0);
  bench.tell("state");
  bench.pass(200);
  EQUAL(bench.events().back(), "end");
}
