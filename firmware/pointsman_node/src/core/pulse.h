// The current through a coil: never longer than it is given, and never again before the coil has rested.
#pragma once

#include <stdint.h>

namespace node {

class Pulse {
 public:
  // A coil rests after a start as after a pulse: nobody knows when the last one ended.
  void begin(uint32_t now_ms);

  bool on() const { return state_ == State::on; }
  bool ready() const { return state_ == State::ready; }

  // Only when ready.
  void start(uint32_t now_ms, uint16_t on_ms);

  // End it now, before its time.
  void cut(uint32_t now_ms);

  // True when it has ended by its own time just now.
  bool tick(uint32_t now_ms, uint16_t rest_ms);

 private:
  enum class State : uint8_t { resting, ready, on };

  uint32_t since_ms_ = 0;
  uint16_t on_ms_ = 0;
  State state_ = State::resting;
};

}  // namespace node
