// The node as a whole, at its two ends: the host's line and the board's pins.
#include <algorithm>
#include <string>

#include "bench.h"
#include "check.h"

using namespace node;
using Lines = std::vector<std::string>;

namespace {

const uint32_t STARTS[] = {0, 0xFFFFFFFF - 2500, 0xFFFFFFFF};

std::string joined(const Lines& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "; ";
  return all;
}

bool holds(const Lines& lines, const std::string& wanted) {
  return std::find(lines.begin(), lines.end(), wanted) != lines.end();
}

// A node to which a host has said hello.
struct Met : Bench {
  explicit Met(const Fitted& fitted = UNO, uint32_t start_ms = 0) : Bench(fitted, start_ms) { greet(); }
};

// An armed node with a servo and a solenoid, their coils rested.
struct Armed : Met {
  explicit Armed(const Fitted& fitted = UNO, uint32_t start_ms = 0) : Met(fitted, start_ms) {
    EQUAL(tell("set 14 1 1"), "ok");
    EQUAL(tell("set 12 1 1300"), "ok");
    EQUAL(tell("set 13 1 1700"), "ok");
    EQUAL(tell("set 14 2 2"), "ok");
    pass(2000);
    arm();
    lines();
  }
};

}  // namespace

TEST(a_node_begins_dead_and_says_who_it_is) {
  for (uint32_t start : STARTS) {
    Bench bench(UNO, start, nullptr, Reset::unknown);
    CHECK(bench.board.dead());
    bench.pass(100);
    EQUAL(joined(bench.events()), "hello 1 0.1.0 uno unknown 2 4 3 1 1; settings defaults; latch boot; ");
    EQUAL(bench.board.servo_orders, 0);
    EQUAL(bench.tell("hello 1"), "ok 1 0.1.0 uno unknown 2 4 3 1 1");
  }
}

TEST(the_longest_hello_fits_into_a_line) {
  Bench bench({Board::mega, 8, 16, 16, true, true}, 0, nullptr, Reset::brownout);
  bench.number = 9998;
  EQUAL(bench.tell("hello 1"), "ok 1 0.1.0 mega brownout 8 16 16 1 1");
}

TEST(a_host_that_has_not_said_hello_moves_nothing) {
  Bench bench;
  bench.pass(3000);
  EQUAL(bench.tell("beat"), "ok boot");
  for (const char* words : {"arm", "turnout 1 1", "magnet 1 10", "drive 1 1", "set 14 1 1", "store", "defaults", "trip"}) {
    EQUAL(bench.tell(words), "no version 1");
  }
  // What reads, stops and switches off is heard.
  for (const char* words : {"state", "off", "magnet 1 0", "drive 1 0"}) EQUAL(bench.tell(words), "ok");
  EQUAL(bench.tell("get 14 1"), "ok 0");
  bench.greet();
  EQUAL(bench.tell("arm"), "ok");
}

TEST(a_host_of_another_version_is_told_so_and_stops_what_moves) {
  for (const char* hello : {"hello", "hello 2", "hello 2 in its own way", "hello 256"}) {
    Armed bench;
    EQUAL(bench.tell("drive 1 50"), "ok");
    EQUAL(bench.tell("magnet 1 500"), "ok");
    EQUAL(bench.tell(hello), "no version 1");
    CHECK(bench.board.dead());
    bench.pass(10);
    CHECK(holds(bench.events(), "latch version"));
    EQUAL(bench.tell("beat"), "ok version");
    EQUAL(bench.tell("drive 1 0"), "ok");
    EQUAL(bench.tell("arm"), "no version 1");
    EQUAL(bench.tell("turnout 1 1"), "no version 1");
    // It does not hide why the node stopped before.
    EQUAL(bench.tell("off"), "ok");
    EQUAL(bench.tell(hello), "no version 1");
    EQUAL(bench.tell("beat"), "ok host");
    bench.greet();
    EQUAL(bench.tell("arm"), "ok");
    // A second hello that fits stops nothing.
    bench.greet();
    CHECK(bench.board.closed);
  }
}

TEST(a_node_says_that_it_lives) {
  Bench bench;
  bench.pass(5100);
  int alive = 0;
  for (const std::string& line : bench.lines()) alive += line.find(" alive boot") != std::string::npos;
  EQUAL(alive, 10);
}

TEST(the_whole_state_is_told_on_request) {
  Bench bench(MEGA);
  bench.board.high[11] = true;
  bench.pass(100);
  bench.lines();
  EQUAL(bench.tell("state"), "ok");
  bench.pass(200);
  const Lines events = bench.events();
  EQUAL(events.size(), size_t(2 + 1 + 5 + 12 + 9 + 1));
  EQUAL(events.front(), "latch boot");
  CHECK(holds(events, "drive 0 0"));
  CHECK(holds(events, "turnout 5 unknown"));
  CHECK(holds(events, "beam 12 1") && holds(events, "beam 1 0"));
  CHECK(holds(events, "magnet 9 0"));
  EQUAL(events.back(), "end");
  EQUAL(bench.gaps, 0);
}

TEST(a_node_without_a_throttle_reports_none) {
  Bench bench({Board::uno, 1, 1, 1, false, false});
  bench.board.buffer_free = 63;
  bench.pass(50);
  bench.lines();
  bench.tell("state");
  bench.pass(50);
  EQUAL(joined(bench.events()), "latch boot; settings defaults; turnout 1 unknown; beam 1 0; magnet 1 0; end; ");
  EQUAL(bench.tell("drive 1 0"), "no absent");
}

TEST(arming_wants_a_heartbeat) {
  Met bench;
  EQUAL(bench.tell("arm"), "no unwatched");
  CHECK(bench.board.dead());
  EQUAL(bench.tell("beat"), "ok boot");
  CHECK(!bench.board.closed);
  EQUAL(bench.tell("arm"), "ok");
  CHECK(bench.board.closed);
  EQUAL(bench.tell("beat"), "ok none");
  bench.pass(10);
  CHECK(holds(bench.events(), "latch none"));
}

TEST(a_lost_heartbeat_cuts_everything_and_its_return_restores_nothing) {
  for (uint32_t start : STARTS) {
    Armed bench(UNO, start);
    EQUAL(bench.tell("drive 1 126"), "ok");
    EQUAL(bench.tell("beat"), "ok none");
    bench.pass(700);
    EQUAL(int(bench.board.duty), 255);
    EQUAL(bench.tell("magnet 1 500"), "ok");
    CHECK(bench.board.magnets[0] && bench.board.closed);
    bench.pass(290);
    CHECK(!bench.board.dead());
    bench.pass(10);
    CHECK(bench.board.dead());
    const Lines events = bench.events();
    CHECK(holds(events, "latch heartbeat") && holds(events, "drive 1 0") && holds(events, "magnet 1 0"));
    bench.pass_beating(5000);
    CHECK(bench.board.dead());
    EQUAL(bench.tell("beat"), "ok heartbeat");
    EQUAL(bench.tell("drive 1 20"), "no latched");
    EQUAL(bench.tell("magnet 1 100"), "no latched");
    EQUAL(bench.tell("turnout 2 1"), "no latched");
    EQUAL(bench.tell("arm"), "no moving");
    CHECK(bench.board.dead());
    EQUAL(bench.tell("drive 1 0"), "ok");
    EQUAL(bench.tell("arm"), "ok");
    CHECK(bench.board.closed);
    bench.pass(500);
    EQUAL(int(bench.board.duty), 0);
  }
}

TEST(a_heartbeat_lost_before_arming_must_come_again) {
  Met bench;
  bench.tell("beat");
  bench.pass(1100);
  EQUAL(bench.tell("arm"), "no unwatched");
  EQUAL(bench.tell("beat"), "ok boot");
  EQUAL(bench.tell("arm"), "ok");
}

TEST(a_beat_that_was_read_too_late_hides_nothing) {
  Armed bench;
  // The program hung for a while, and finds beats in its ring.
  bench.now_ms += 3000;
  bench.put(Bench::checked("4000 beat"));
  bench.pass(20);
  CHECK(bench.board.dead());
  CHECK(holds(bench.events(), "latch heartbeat"));
}

TEST(a_beat_told_again_is_no_new_beat) {
  Armed bench;
  for (int i = 0; i < 20; ++i) {
    bench.line(std::to_string(bench.number) + " arm");
    bench.pass(100);
  }
  CHECK(bench.board.dead());
}

TEST(the_stop_byte_stops_everything_even_inside_a_line) {
  for (uint32_t start : STARTS) {
    Armed bench(UNO, start);
    bench.tell("drive 1 50");
    bench.tell("magnet 2 500");
    bench.tell("turnout 2 1");
    bench.pass(30);
    CHECK(bench.board.duty > 0 && bench.board.magnets[1] && bench.board.coils[1][1]);
    bench.lines();
    bench.put("400 driv\x18");
    // Before any time has passed.
    CHECK(bench.board.dead());
    bench.put("e 1 60*0000\n");
    bench.pass(100);
    const Lines all = bench.lines();
    CHECK(holds(all, "0 no crc"));
    CHECK(joined(all).find("latch stop") != std::string::npos);
    CHECK(joined(all).find("turnout 2 unknown") != std::string::npos);
    CHECK(joined(all).find(" end; ") != std::string::npos);
    EQUAL(bench.tell("drive 1 50"), "no latched");
  }
}

TEST(a_stop_repeated_without_end_is_answered_to_the_end) {
  Bench bench(MEGA);
  bench.pass(100);
  bench.lines();
  for (int i = 0; i < 300; ++i) {
    bench.put("\x18");
    bench.pass(1);
  }
  const Lines events = bench.events();
  CHECK(std::count(events.begin(), events.end(), "end") >= 3);
  bench.pass(200);
  EQUAL(bench.events().back(), "end");
  bench.pass(300);
  CHECK(bench.events().empty());
  EQUAL(bench.gaps, 0);
}

TEST(a_flood_of_garbage_hides_neither_the_answer_to_a_stop_nor_that_the_node_lives) {
  Bench bench(MEGA);
  bench.pass(100);
  bench.lines();
  bench.put("\x18");
  for (int ms = 0; ms < 3000; ++ms) {
    // As much as the line carries.
    bench.put("x\ny\nz\nu\nv\n");
    bench.pass(1);
  }
  const Lines all = bench.lines();
  int alive = 0;
  int end = 0;
  for (const std::string& line : all) {
    alive += line.find(" alive stop") != std::string::npos;
    end += line.find(" end") != std::string::npos;
  }
  EQUAL(end, 1);
  CHECK(alive >= 5);
  CHECK(std::count(all.begin(), all.end(), "0 no crc") > 100);
  EQUAL(bench.gaps, 0);
}

TEST(a_state_asked_for_among_stops_is_told_once) {
  Bench bench(MEGA);
  bench.pass(100);
  bench.lines();
  bench.put("\x18");
  bench.pass(5);
  bench.put("\x18");
  EQUAL(bench.tell("state"), "ok");
  bench.pass(300);
  const Lines events = bench.events();
  EQUAL(std::count(events.begin(), events.end(), "end"), 1);
}

TEST(the_host_switches_off_and_cannot_switch_on_but_by_arming) {
  Armed bench;
  bench.tell("drive 0 30");
  EQUAL(bench.tell("off"), "ok");
  CHECK(bench.board.dead());
  bench.pass(10);
  CHECK(holds(bench.events(), "latch host"));
  bench.tell("beat");
  EQUAL(bench.tell("arm"), "no moving");
  EQUAL(bench.tell("drive 0 0"), "ok");
  EQUAL(bench.tell("arm"), "ok");
}

TEST(a_board_that_hung_is_armed_anew) {
  Armed bench;
  bench.tell("drive 1 30");
  bench.node.hung(bench.now_ms);
  CHECK(bench.board.dead());
  bench.pass(10);
  CHECK(holds(bench.events(), "latch hang"));
  EQUAL(bench.tell("arm"), "no moving");
}

TEST(a_command_told_again_is_answered_again_and_not_done_again) {
  Armed bench;
  EQUAL(bench.tell("magnet 1 20"), "ok");
  bench.pass_beating(3000);
  CHECK(!bench.board.magnets[0]);
  EQUAL(bench.tell("magnet 1 30"), "ok");
  bench.pass(40);
  const std::string again = std::to_string(bench.number) + " magnet 1 30";
  bench.pass(700);
  bench.lines();
  for (int i = 0; i < 3; ++i) {
    bench.line(again);
    bench.pass(10);
    CHECK(!bench.board.magnets[0]);
  }
  Lines all = bench.lines();
  EQUAL(std::count(all.begin(), all.end(), std::to_string(bench.number) + " ok"), 3);
  bench.line(std::to_string(bench.number) + " magnet 1 31");
  bench.pass(10);
  CHECK(holds(bench.lines(), std::to_string(bench.number) + " no number"));
  bench.line(std::to_string(bench.number) + " magnet 1 3");
  bench.pass(10);
  CHECK(holds(bench.lines(), std::to_string(bench.number) + " no number"));
  // The answer of the first one is still known.
  bench.line(again);
  bench.pass(10);
  CHECK(holds(bench.lines(), std::to_string(bench.number) + " ok"));
}

TEST(a_command_before_the_answer_to_the_last_one_is_dropped_and_may_be_said_again) {
  Armed bench;
  bench.lines();
  const int first = ++bench.number;
  const int second = ++bench.number;
  const auto numbered = [](int number, const char* words) { return std::to_string(number) + " " + words; };
  for (const char* dropped : {"magnet 1 30", "drive 1 40", "off", "set 0 0 500", "nonsense"}) {
    bench.line(numbered(first, "drive 1 30"));
    bench.line(numbered(second, dropped));
    bench.pass(20);
    Lines all = bench.lines();
    EQUAL(std::count(all.begin(), all.end(), numbered(first, "ok")), 1);
    const std::string said = std::to_string(second) + " ";
    CHECK(std::none_of(all.begin(), all.end(), [&](const std::string& line) { return line.rfind(said, 0) == 0; }));
    CHECK(!bench.board.magnets[0]);
    CHECK(bench.board.closed);
  }
  bench.pass_beating(1000);
  const int duty = bench.board.duty;
  bench.lines();
  bench.line(numbered(second, "drive 1 40"));
  bench.pass(5);
  CHECK(holds(bench.lines(), numbered(second, "ok")));
  bench.pass_beating(1000);
  CHECK(bench.board.duty > duty);
}

TEST(a_garbled_line_is_told_without_its_number) {
  Bench bench;
  bench.pass(50);
  bench.lines();
  bench.put("1 beat*0000\n");
  bench.pass(10);
  EQUAL(joined(bench.lines()), "0 no crc; ");
  bench.put(std::string(80, 'x') + "\n");
  bench.pass(10);
  EQUAL(joined(bench.lines()), "0 no long; ");
  bench.put("1 be\tat\n");
  bench.pass(10);
  EQUAL(joined(bench.lines()), "0 no form; ");
  bench.put(Bench::checked("0 beat"));
  bench.pass(10);
  EQUAL(joined(bench.lines()), "0 no form; ");
  EQUAL(bench.tell("dance"), "no verb");
  EQUAL(bench.tell("drive 5"), "no form");
}

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

TEST(settings_are_read_and_changed_within_their_limits) {
  Met bench;
  EQUAL(bench.tell("get 0 0"), "ok 1000");
  EQUAL(bench.tell("set 0 0 299"), "no range");
  EQUAL(bench.tell("set 0 0 3001"), "no range");
  EQUAL(bench.tell("set 0 0 65836"), "no range");
  EQUAL(bench.tell("set 0 1 500"), "no range");
  EQUAL(bench.tell("set 0 0 500"), "ok");
  EQUAL(bench.tell("get 0 0"), "ok 500");
  // Faster than any servo: its points would be told as lying there before they do.
  EQUAL(bench.tell("set 5 0 19"), "no range");
  EQUAL(bench.tell("set 5 0 20"), "ok");
  EQUAL(bench.tell("get 16 0"), "no range");
  EQUAL(bench.tell("set 16 0 0"), "no range");
  EQUAL(bench.tell("get 12 0"), "no range");
  EQUAL(bench.tell("get 12 2"), "ok 1500");
  EQUAL(bench.tell("get 12 3"), "no absent");
  EQUAL(bench.tell("get 15 5"), "no absent");
  EQUAL(bench.tell("set 12 3 1500"), "no absent");
  EQUAL(bench.tell("set 11 0 1"), "ok");
  CHECK(bench.board.watches);
  EQUAL(bench.tell("set 11 0 0"), "ok");
  CHECK(!bench.board.watches);
}

TEST(a_coil_rests_four_times_as_long_as_it_may_be_on) {
  Met bench;
  EQUAL(bench.tell("set 1 0 501"), "no duty");
  EQUAL(bench.tell("get 1 0"), "ok 500");
  EQUAL(bench.tell("set 2 0 1999"), "no duty");
  EQUAL(bench.tell("set 2 0 8000"), "ok");
  EQUAL(bench.tell("set 1 0 2001"), "no range");
  EQUAL(bench.tell("set 1 0 2000"), "ok");
  EQUAL(bench.tell("set 3 0 125"), "ok");
  EQUAL(bench.tell("set 3 0 126"), "no duty");
  EQUAL(bench.tell("set 4 0 499"), "no duty");
  EQUAL(bench.tell("get 4 0"), "ok 500");
}

TEST(settings_stay_as_they_are_while_anything_may_move) {
  Armed bench;
  for (const char* words : {"set 0 0 500", "store", "defaults", "trip"}) EQUAL(bench.tell(words), "no moving");
  bench.tell("turnout 1 1");
  bench.tell("off");
  for (const char* words : {"set 0 0 500", "store", "defaults", "trip"}) EQUAL(bench.tell(words), "no moving");
  bench.pass(600);
  EQUAL(bench.tell("set 0 0 500"), "ok");
}

TEST(the_ends_of_a_servo_can_be_tried_while_everything_is_stopped) {
  Met bench;
  bench.tell("set 14 1 1");
  EQUAL(bench.board.servo_orders, 0);
  EQUAL(bench.tell("turnout 1 1"), "ok");
  bench.pass(600);
  bench.tell("set 13 1 1600");
  bench.pass(600);
  EQUAL(bench.board.pulse_us[0], 0);
  EQUAL(bench.tell("turnout 1 1"), "ok");
  bench.pass(50);
  CHECK(bench.board.pulse_us[0] > 1500);
  bench.pass(100);
  EQUAL(bench.board.pulse_us[0], 1600);
  CHECK(bench.board.dead());
  // Another machine: nobody knows how the points lie.
  bench.events();
  EQUAL(bench.tell("set 14 1 2"), "ok");
  EQUAL(bench.board.pulse_us[0], 0);
  EQUAL(joined(bench.events()), "turnout 1 unknown; ");
}

TEST(settings_outlast_the_supply) {
  Met bench;
  bench.board.memory_takes = 3;
  bench.tell("set 14 2 1");
  bench.tell("set 11 0 1");
  EQUAL(bench.tell("store"), "ok");
  CHECK(holds(bench.events(), "settings stored"));
  bench.tell("set 14 2 2");
  Bench next(UNO, 0, bench.board.memory, Reset::watchdog);
  next.pass(50);
  CHECK(holds(next.events(), "settings stored"));
  EQUAL(next.tell("get 14 2"), "ok 1");
  CHECK(next.board.watches);
  const int writes = bench.board.memory_writes;
  bench.tell("set 14 2 1");
  EQUAL(bench.tell("store"), "ok");
  // What is there already is not worn.
  EQUAL(bench.board.memory_writes, writes);
  bench.board.memory[20] ^= 1;
  Bench spoilt(UNO, 0, bench.board.memory);
  spoilt.pass(50);
  CHECK(holds(spoilt.events(), "settings defaults"));
  EQUAL(spoilt.tell("get 14 2"), "ok 0");
}

TEST(a_memory_that_takes_nothing_is_told) {
  Met bench;
  bench.board.memory_worn = true;
  EQUAL(bench.tell("store"), "no memory");
  CHECK(!holds(bench.events(), "settings stored"));
}

TEST(while_settings_are_stored_the_node_listens_and_changes_nothing) {
  Met bench;
  bench.board.memory_takes = 3;
  bench.line("7000 store");
  bench.pass(20);
  bench.line("7000 store");
  EQUAL(bench.tell("beat"), "ok boot");
  EQUAL(bench.tell("arm"), "no moving");
  EQUAL(bench.tell("set 0 0 500"), "no moving");
  EQUAL(bench.tell("get 0 0"), "ok 1000");
  bench.put("\x18");
  bench.pass(600);
  const Lines all = bench.lines();
  CHECK(joined(all).find("latch stop") != std::string::npos);
  CHECK(joined(all).find("settings stored") != std::string::npos);
  CHECK(joined(all).find("7000") == std::string::npos);
  EQUAL(bench.tell("set 0 0 500"), "ok");
}

TEST(defaults_come_back_when_asked_for) {
  Met bench;
  bench.tell("set 14 1 1");
  bench.tell("set 11 0 1");
  bench.tell("turnout 1 1");
  bench.pass(600);
  bench.events();
  EQUAL(bench.tell("defaults"), "ok");
  bench.pass(10);
  EQUAL(joined(bench.events()), "settings defaults; turnout 1 unknown; ");
  EQUAL(bench.board.pulse_us[0], 0);
  CHECK(!bench.board.watches);
  EQUAL(bench.tell("turnout 1 1"), "no absent");
}

TEST(the_watchdog_bites_on_request_after_the_answer_has_left) {
  Met bench;
  EQUAL(bench.tell("trip"), "ok");
  EQUAL(bench.board.tripped, 0);
  bench.tell("beat");
  EQUAL(bench.tell("arm"), "no moving");
  bench.pass(60);
  EQUAL(bench.board.tripped, 1);
}

TEST(between_a_trip_and_its_end_nothing_is_begun) {
  Met bench;
  bench.tell("set 14 1 1");
  bench.tell("set 12 1 1000");
  bench.tell("beat");
  bench.pass(100);
  EQUAL(bench.tell("trip"), "ok");
  const int orders = bench.board.servo_orders;
  const int writes = bench.board.memory_writes;
  for (const char* words : {"turnout 1 1", "set 12 1 1100", "store", "defaults", "arm", "magnet 1 10", "drive 1 1", "trip"}) {
    EQUAL(bench.tell(words), "no moving");
  }
  // What stops, switches off or only asks is heard.
  for (const char* words : {"magnet 1 0", "drive 1 0", "off", "state"}) EQUAL(bench.tell(words), "ok");
  EQUAL(bench.tell("get 12 1"), "ok 1000");
  EQUAL(bench.board.tripped, 0);
  bench.pass(60);
  EQUAL(bench.board.tripped, 1);
  EQUAL(bench.board.servo_orders, orders);
  EQUAL(bench.board.memory_writes, writes);
  CHECK(bench.board.dead());
}

namespace {

// Always the same dice.
struct Dice {
  uint32_t state = 1979;
  uint32_t roll(uint32_t sides) {
    state = state * 1664525 + 1013904223;
    return (state >> 16) % sides;
  }
};

}  // namespace

TEST(garbage_moves_nothing_and_blocks_nothing) {
  Dice dice;
  Bench bench(UNO, 0xFFFFFFFF - 5000);
  bench.greet();
  bench.tell("set 14 1 1");
  bench.tell("set 14 2 2");
  const std::string words[] = {"1 drive 1 99", "arm", "turnout 1 1", "magnet 1 500", "*29B1", "\n", "beat", " ", "9999"};
  for (int i = 0; i < 40000; ++i) {
    std::string bytes;
    if (dice.roll(3) == 0) bytes = words[dice.roll(9)];
    else bytes.push_back(char(dice.roll(256)));
    bench.put(bytes);
    if (dice.roll(8) == 0) bench.pass(1);
    CHECK(bench.board.dead());
  }
  EQUAL(bench.board.servo_orders, 0);
  bench.put("\n");
  bench.pass(200);
  EQUAL(bench.tell("beat").substr(0, 3), "ok ");
}

TEST(an_armed_node_is_not_driven_by_garbled_commands) {
  Dice dice;
  Armed bench;
  for (int i = 0; i < 5000; ++i) {
    std::string line = Bench::checked("7 drive 1 126");
    line[dice.roll(uint32_t(line.size() - 1))] ^= char(1 << dice.roll(7));
    bench.put(line);
    bench.pass(1);
    if (i % 100 == 0) {
      bench.put("\n");
      bench.tell("beat");
    }
    EQUAL(int(bench.board.duty), 0);
  }
}

TEST(of_a_flood_of_commands_every_acknowledged_one_was_done_and_no_other) {
  Met bench;
  const auto value_of = [](int number) { return 10 + number % 100; };
  int acknowledged = 0;
  int last = 0;
  const auto look = [&] {
    for (const std::string& line : bench.lines()) {
      if (line[0] == '@') continue;
      last = std::stoi(line);
      EQUAL(line, std::to_string(last) + " ok");
      ++acknowledged;
    }
  };
  for (int number = 2; number <= 501; ++number) {
    bench.line(std::to_string(number) + " set 3 0 " + std::to_string(value_of(number)));
    if (number % 4 == 0) bench.pass(1);
    look();
  }
  bench.pass(20);
  look();
  CHECK(acknowledged > 50 && acknowledged < 500);
  bench.number = 600;
  EQUAL(bench.tell("get 3 0"), "ok " + std::to_string(value_of(last)));
}
