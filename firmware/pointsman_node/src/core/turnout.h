// A turnout, moved by a servo or by a solenoid with a coil a side.
#pragma once

#include <stdint.h>

#include "command.h"
#include "hardware.h"
#include "pulse.h"
#include "servo_move.h"
#include "settings.h"

namespace node {

class Turnout {
 public:
  void begin(uint8_t turnout, uint32_t now_ms);

  // How it lies, as far as anybody can know without looking.
  Lie lie() const { return lie_; }
  bool moving() const { return lie_ == Lie::moving; }

  // Set it. A coil is not switched on while everything is stopped; a servo moves all the same, so that its ends can
  // be set, and points are not left half-way.
  Refusal command(uint8_t leg, bool latched, const Settings& settings, Hardware& hardware, uint32_t now_ms);

  void tick(const Settings& settings, Hardware& hardware, uint32_t now_ms);

  // Its coils off. A pulse that is cut short leaves nobody knows what.
  void cut(Hardware& hardware, uint32_t now_ms);

  // Everything off, and how it lies is forgotten.
  void forget(Hardware& hardware, uint32_t now_ms);

 private:
  ServoMove servo_;
  Pulse coil_;
  uint16_t pulse_us_ = 0;
  uint8_t turnout_ = 0;
  uint8_t leg_ = 0;
  Lie lie_ = Lie::unknown;
};

}  // namespace node
