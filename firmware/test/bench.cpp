#include "bench.h"

#include <algorithm>
#include <cstring>

#include "../pointsman_node/src/core/crc16.h"
#include "check.h"

void PaperBoard::relay(bool close) {
  CHECK(fitted_.relay);
  closed = close;
}

void PaperBoard::dc(uint8_t towards, uint8_t with) {
  CHECK(fitted_.dc);
  // The direction is never changed under current.
  if (towards != direction) EQUAL(int(duty), 0);
  direction = towards;
  duty = with;
}

void PaperBoard::magnet(uint8_t magnet, bool on) {
  CHECK(magnet < fitted_.magnets);
  magnets[magnet] = on;
}

void PaperBoard::solenoid(uint8_t turnout, uint8_t leg, bool on) {
  CHECK(turnout < fitted_.turnouts && leg < 2);
  coils[turnout][leg] = on;
  // Never both sides at once.
  CHECK(!(coils[turnout][0] && coils[turnout][1]));
}

void PaperBoard::servo(uint8_t turnout, uint16_t with_us) {
  CHECK(turnout < fitted_.turnouts);
  CHECK(with_us == 0 || (with_us >= 500 && with_us <= 2500));
  pulse_us[turnout] = with_us;
  if (with_us != 0) ++servo_orders;
}

bool PaperBoard::beam_high(uint8_t beam) {
  CHECK(beam < fitted_.beams);
  return high[beam];
}

uint8_t PaperBoard::room() { return buffer_free; }

void PaperBoard::write(const char* text, uint8_t length) {
  // More would have to wait.
  CHECK(length <= buffer_free);
  buffer_free = static_cast<uint8_t>(buffer_free - length);
  sent.append(text, length);
}

bool PaperBoard::memory_ready() {
  if (memory_busy == 0) return true;
  --memory_busy;
  return false;
}

uint8_t PaperBoard::memory_read(uint8_t place) {
  EQUAL(memory_busy, 0);
  CHECK(place < sizeof memory);
  return memory[place];
}

void PaperBoard::memory_write(uint8_t place, uint8_t byte) {
  EQUAL(memory_busy, 0);
  CHECK(place < sizeof memory);
  ++memory_writes;
  memory_busy = memory_takes;
  if (!memory_worn) memory[place] = byte;
}

bool PaperBoard::dead() const {
  bool coil = false;
  for (bool on : magnets) coil = coil || on;
  for (const auto& pair : coils) coil = coil || pair[0] || pair[1];
  return !closed && duty == 0 && !coil;
}

Bench::Bench(const node::Fitted& fitted, uint32_t now, const uint8_t* memory, node::Reset cause)
    : board(fitted), now_ms(now), node(board, fitted, cause) {
  if (memory != nullptr) std::memcpy(board.memory, memory, sizeof board.memory);
  else std::memset(board.memory, 0xFF, sizeof board.memory);
  node.begin(now_ms);
}

void Bench::pass(uint32_t time_ms) {
  for (uint32_t i = 0; i < time_ms; ++i) {
    ++now_ms;
    // 115,200 baud.
    board.buffer_free = static_cast<uint8_t>(std::min(63, board.buffer_free + 11));
    node.tick(now_ms);
    collect();
  }
}

void Bench::pass_beating(uint32_t time_ms) {
  for (; time_ms > 200; time_ms -= 200) {
    tell("beat");
    pass(198);
  }
  pass(time_ms);
}

void Bench::put(const std::string& bytes) {
  for (char byte : bytes) node.receive(static_cast<uint8_t>(byte), now_ms);
}

std::string Bench::checked(const std::string& body) {
  char end[8];
  std::snprintf(end, sizeof end, "*%04X\n", node::crc16(body.c_str(), static_cast<uint8_t>(body.size())));
  return body + end;
}

std::string Bench::tell(const std::string& words) {
  number = number == static_cast<int>(node::LAST_NUMBER) ? 1 : number + 1;
  const std::string start = std::to_string(number) + " ";
  line(start + words);
  std::deque<std::string> others;
  for (int waited_ms = 0; waited_ms < 1000; ++waited_ms) {
    pass(1);
    for (; !came_.empty(); came_.pop_front()) {
      if (came_.front().compare(0, start.size(), start) != 0) {
        others.push_back(came_.front());
        continue;
      }
      const std::string answer = came_.front().substr(start.size());
      came_.pop_front();
      came_.insert(came_.begin(), others.begin(), others.end());
      // The next one comes a millisecond later at the least.
      pass(1);
      return answer;
    }
  }
  check::fail(__FILE__, __LINE__, "no answer to " + words);
}

void Bench::greet() { CHECK(tell("hello " + std::to_string(node::VERSION)).substr(0, 3) == "ok "); }

void Bench::arm() {
  CHECK(tell("beat").substr(0, 3) == "ok ");
  EQUAL(tell("arm"), "ok");
}

std::vector<std::string> Bench::lines() {
  std::vector<std::string> all(came_.begin(), came_.end());
  came_.clear();
  return all;
}

std::vector<std::string> Bench::events() {
  std::vector<std::string> found;
  for (const std::string& line : lines()) {
    if (line[0] != '@') continue;
    const std::string words = line.substr(line.find(' ') + 1);
    if (words.compare(0, 5, "alive") != 0) found.push_back(words);
  }
  return found;
}

void Bench::collect() {
  for (size_t end; (end = board.sent.find('\n')) != std::string::npos; board.sent.erase(0, end + 1)) {
    CHECK(end + 1 <= node::LONGEST);
    const std::string body = board.sent.substr(0, end - 5);
    EQUAL(board.sent.substr(0, end + 1), checked(body));
    if (body[0] == '@') {
      const int count = std::stoi(body.substr(1));
      if (count != count_) ++gaps;
      count_ = (count + 1) % 100;
    }
    came_.push_back(body);
  }
  EQUAL(board.sent, "");
}
