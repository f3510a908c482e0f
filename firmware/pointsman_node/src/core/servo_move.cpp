#include "servo_move.h"

#include "protocol_constants.h"

namespace node {

void ServoMove::command(uint16_t to_us, uint32_t now_ms, uint16_t ms_per_100_us) {
  if (!found_) {
    from_us_ = to_us;
    takes_ms_ = FIRST_MOVE_MS;
  } else {
    from_us_ = state_ == State::moving ? pulse_us(now_ms) : to_us_;
    const uint32_t way_us = to_us > from_us_ ? to_us - from_us_ : from_us_ - to_us;
    takes_ms_ = static_cast<uint16_t>(way_us * ms_per_100_us / 100);
  }
  to_us_ = to_us;
  since_ms_ = now_ms;
  state_ = State::moving;
}

bool ServoMove::tick(uint32_t now_ms, uint16_t hold_ms) {
  const uint32_t passed_ms = now_ms - since_ms_;
  if (state_ == State::moving && passed_ms >= takes_ms_) {
    state_ = State::holding;
    found_ = true;
    since_ms_ = now_ms;
    return true;
  }
  if (state_ == State::holding && passed_ms >= hold_ms) state_ = State::idle;
  return false;
}

uint16_t ServoMove::pulse_us(uint32_t now_ms) const {
  if (state_ == State::idle) return 0;
  const uint32_t passed_ms = now_ms - since_ms_;
  if (state_ == State::holding || passed_ms >= takes_ms_) return to_us_;
  const int32_t way_us = static_cast<int32_t>(to_us_) - from_us_;
  return static_cast<uint16_t>(from_us_ + way_us * static_cast<int32_t>(passed_ms) / takes_ms_);
}

}  // namespace node
