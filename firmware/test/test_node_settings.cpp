// The settings of a whole node: read, changed, stored, and the watchdog that is tried.
#include <string>

#include "met.h"

using namespace node;

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
