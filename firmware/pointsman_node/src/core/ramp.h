// The speed step of a locomotive on direct current, on its way to the one that was commanded.
#pragma once

#include <stdint.h>

namespace node {

class Ramp {
 public:
  // Go there, step by step.
  void aim(uint8_t step, uint32_t now_ms);

  // 0, at once.
  void cut();

  void tick(uint32_t now_ms, uint16_t steps_per_100_ms);

  uint8_t aimed() const { return aimed_; }
  uint8_t step() const { return step_; }

  // The duty of a step, of 255: nothing at 0, the lowest one at step 1, all at the highest step.
  static uint8_t duty(uint8_t step, uint8_t lowest);

 private:
  uint32_t seen_ms_ = 0;
  uint16_t hundredths_ = 0;  // of a step, gone already
  uint8_t aimed_ = 0;
  uint8_t step_ = 0;
};

}  // namespace node
