// A whole node on a bad line: garbage, garbled commands, floods.
#include <string>

#include "met.h"

using namespace node;

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
