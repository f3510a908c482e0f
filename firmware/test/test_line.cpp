// What waits for the line: the ring of what happened, and the answer that has not left yet.
#include <algorithm>
#include <deque>
#include <string>

#include "../pointsman_node/src/core/outbox.h"
#include "bench.h"
#include "check.h"

using namespace node;

namespace {

// Nothing leaves the board for a while.
void hold(Bench& bench, uint32_t time_ms) {
  for (uint32_t i = 0; i < time_ms; ++i) {
    bench.board.buffer_free = 0;
    bench.node.tick(++bench.now_ms);
  }
}

// Numbers and words of the answers that came.
std::vector<std::string> answers(Bench& bench) {
  std::vector<std::string> found;
  for (const std::string& line : bench.lines())
    if (line[0] != '@') found.push_back(line);
  return found;
}

}  // namespace

TEST(what_happened_comes_out_in_order_however_often_the_ring_turns) {
  for (uint8_t begins = 0; begins < Outbox::MOST; ++begins) {
    Outbox outbox;
    for (uint8_t i = 0; i < begins; ++i) {
      outbox.add(Event::magnet, i, 0);
      EQUAL(int(outbox.take().first), int(i));
    }
    std::deque<uint8_t> waiting;
    uint8_t next = 0;
    for (uint8_t turn = 0; turn < 2 * Outbox::MOST; ++turn) {
      // Filled up, with one too many; then some are taken.
      for (; waiting.size() < Outbox::MOST; waiting.push_back(next++)) outbox.add(Event::beam, next, next % 2);
      outbox.add(Event::latch, 255, 255);
      for (int i = 0; i <= turn % 7; ++i, waiting.pop_front()) {
        const Happening taken = outbox.take();
        CHECK(taken.event == Event::beam);
        EQUAL(int(taken.first), int(waiting.front()));
        EQUAL(int(taken.second), waiting.front() % 2);
      }
    }
    for (; !waiting.empty(); waiting.pop_front()) EQUAL(int(outbox.take().first), int(waiting.front()));
    CHECK(outbox.empty());
  }
}

TEST(who_does_not_wait_for_an_answer_is_not_heard_before_it_is_gone) {
  Bench bench;
  bench.greet();
  bench.pass(100);
  bench.lines();
  bench.line("100 set 3 0 50");
  hold(bench, 5);
  bench.line("101 set 3 0 60");
  hold(bench, 5);
  CHECK(answers(bench).empty());
  bench.pass(20);
  const std::vector<std::string> came = answers(bench);
  EQUAL(came.size(), size_t(1));
  EQUAL(came[0], "100 ok");
  bench.number = 101;
  EQUAL(bench.tell("get 3 0"), "ok 50");
  // Told again, as a host does that had no answer, it is heard.
  bench.line("101 set 3 0 60");
  bench.pass(20);
  EQUAL(answers(bench).at(0), "101 ok");
  EQUAL(bench.tell("get 3 0"), "ok 60");
}

TEST(a_command_told_again_before_its_answer_is_gone_is_answered_once) {
  Bench bench;
  bench.greet();
  bench.pass(100);
  bench.lines();
  for (int i = 0; i < 3; ++i) {
    bench.line("100 set 3 0 50");
    hold(bench, 5);
  }
  bench.pass(20);
  const std::vector<std::string> came = answers(bench);
  EQUAL(came.size(), size_t(1));
  EQUAL(came[0], "100 ok");
}
