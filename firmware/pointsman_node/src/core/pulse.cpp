#include "pulse.h"

namespace node {

void Pulse::begin(uint32_t now_ms) {
  state_ = State::resting;
  since_ms_ = now_ms;
}

void Pulse::start(uint32_t now_ms, uint16_t on_ms) {
  if (state_ != State::ready) return;
  state_ = State::on;
  since_ms_ = now_ms;
  on_ms_ = on_ms;
}

void Pulse::cut(uint32_t now_ms) {
  if (state_ == State::on) begin(now_ms);
}

bool Pulse::tick(uint32_t now_ms, uint16_t rest_ms) {
  const uint32_t passed_ms = now_ms - since_ms_;
  if (state_ == State::on && passed_ms >= on_ms_) {
    begin(now_ms);
    return true;
  }
  if (state_ == State::resting && passed_ms >= rest_ms) state_ = State::ready;
  return false;
}

}  // namespace node
