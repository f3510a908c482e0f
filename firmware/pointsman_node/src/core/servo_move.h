// A servo on its way: no pulse until it is commanded, from where it was commanded last, at the speed that is set, and
// no pulse once it has arrived and had time to settle.
#pragma once

#include <stdint.h>

namespace node {

class ServoMove {
 public:
  // Move there. A servo that moves already turns round where it is; its first move begins anew.
  void command(uint16_t to_us, uint32_t now_ms, uint16_t ms_per_100_us);

  // True when it has arrived just now.
  bool tick(uint32_t now_ms, uint16_t hold_ms);

  // No pulse any more, and where it is is forgotten.
  void release() {
    state_ = State::idle;
    found_ = false;
  }

  // The width of the pulse to give it; 0 for none.
  uint16_t pulse_us(uint32_t now_ms) const;

  bool moving() const { return state_ == State::moving; }

 private:
  enum class State : uint8_t { idle, moving, holding };

  uint32_t since_ms_ = 0;
  uint16_t from_us_ = 0;
  uint16_t to_us_ = 0;
  uint16_t takes_ms_ = 0;
  State state_ = State::idle;
  bool found_ = false;  // is it known where it is?
};

}  // namespace node
