#include "ramp.h"

#include "protocol_constants.h"

namespace node {

void Ramp::aim(uint8_t step, uint32_t now_ms) {
  if (step_ == aimed_) {
    seen_ms_ = now_ms;
    hundredths_ = 0;
  }
  aimed_ = step;
}

void Ramp::cut() { aimed_ = step_ = 0; }

void Ramp::tick(uint32_t now_ms, uint16_t steps_per_100_ms) {
  if (step_ == aimed_) return;
  const uint32_t passed_ms = now_ms - seen_ms_;
  seen_ms_ = now_ms;
  const uint8_t left = aimed_ > step_ ? aimed_ - step_ : step_ - aimed_;
  // Whatever the rate, no way is longer than 126 steps in 12,600 ms.
  const uint32_t counted_ms = passed_ms > 100UL * HIGHEST_STEP ? 100UL * HIGHEST_STEP : passed_ms;
  const uint32_t gone = hundredths_ + counted_ms * steps_per_100_ms;
  hundredths_ = static_cast<uint16_t>(gone % 100);
  const uint8_t steps = gone / 100 > left ? left : static_cast<uint8_t>(gone / 100);
  step_ = static_cast<uint8_t>(aimed_ > step_ ? step_ + steps : step_ - steps);
}

uint8_t Ramp::duty(uint8_t step, uint8_t lowest) {
  if (step == 0) return 0;
  return static_cast<uint8_t>(lowest + static_cast<uint32_t>(255 - lowest) * (step - 1) / (HIGHEST_STEP - 1));
}

}  // namespace node
