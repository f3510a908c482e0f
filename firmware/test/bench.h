// A node on a board of paper, and a host at the other end of its line. Time goes on by the millisecond, at a call.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "../pointsman_node/src/core/node.h"

// What the node's pins do; checks that nothing is switched that is not there.
class PaperBoard : public node::Hardware {
 public:
  explicit PaperBoard(const node::Fitted& fitted) : fitted_(fitted) {}

  void relay(bool closed) override;
  void dc(uint8_t direction, uint8_t duty) override;
  void magnet(uint8_t magnet, bool on) override;
  void solenoid(uint8_t turnout, uint8_t leg, bool on) override;
  void servo(uint8_t turnout, uint16_t pulse_us) override;
  bool beam_high(uint8_t beam) override;
  uint8_t room() override;
  void write(const char* text, uint8_t length) override;
  bool memory_ready() override;
  uint8_t memory_read(uint8_t place) override;
  void memory_write(uint8_t place, uint8_t byte) override;
  void watchdog(bool on) override { watches = on; }
  void trip() override { ++tripped; }

  // Does anything that could move or burn have current?
  bool dead() const;

  bool closed = false;
  uint8_t direction = 0;
  uint8_t duty = 0;
  bool magnets[node::HIGHEST_MAGNET] = {};
  bool coils[node::HIGHEST_TURNOUT][2] = {};
  uint16_t pulse_us[node::HIGHEST_TURNOUT] = {};
  int servo_orders = 0;
  bool high[node::HIGHEST_OF] = {};
  std::string sent;
  uint8_t buffer_free = 63;  // an Uno's, when nothing waits in it
  uint8_t memory[node::Settings::PICTURE];
  int memory_busy = 0;  // looks for which the memory is not ready
  int memory_takes = 0;
  bool memory_worn = false;  // takes nothing any more
  int memory_writes = 0;
  bool watches = false;
  int tripped = 0;

 private:
  const node::Fitted fitted_;
};

constexpr node::Fitted UNO = {node::Board::uno, 2, 4, 3, true, true};
constexpr node::Fitted MEGA = {node::Board::mega, 5, 12, 9, true, true};

class Bench {
 public:
  // Begins at a moment of the node's clock; ``memory`` is what its memory held before.
  explicit Bench(const node::Fitted& fitted = UNO, uint32_t now_ms = 0, const uint8_t* memory = nullptr,
                 node::Reset cause = node::Reset::power);

  // Time goes on; with a host that beats, or one that does not.
  void pass(uint32_t time_ms);
  void pass_beating(uint32_t time_ms);

  // The host's bytes, and lines with their checksum.
  void put(const std::string& bytes);
  void line(const std::string& body) { put(checked(body)); }
  static std::string checked(const std::string& body);

  // A command under the next number; what is answered, without number.
  std::string tell(const std::string& words);
  // A hello that fits.
  void greet();
  // A heartbeat, arm.
  void arm();

  // The lines that came since the last look, bodies only; each one's checksum, length and count were checked.
  std::vector<std::string> lines();
  // Events among them, without their count and without the signs of life.
  std::vector<std::string> events();

  int number = 0;
  int gaps = 0;  // in the count of the events
  PaperBoard board;
  uint32_t now_ms;
  node::Node node;

 private:
  void collect();

  std::deque<std::string> came_;
  int count_ = 0;
};
