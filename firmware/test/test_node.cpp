// The node as a whole, at its two ends, the host's line and the board's pins: greeting, arming, stopping, numbers.
#include <algorithm>
#include <string>

#include "met.h"

using namespace node;

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
