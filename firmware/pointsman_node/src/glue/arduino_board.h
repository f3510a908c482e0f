// A board of the Arduino kind, as the logic wants it.
#pragma once

#include "board.h"

namespace glue {

class ArduinoBoard : public node::Hardware {
 public:
  // First of all: every pin at its safe level before it becomes an output.
  void begin();

  // The loop has come round. Without that the board switches everything off after a quarter of a second, and, where
  // the watchdog is on, starts anew.
  void alive();

  // Until the next interrupt: a byte, or the tick of the clock, which comes each millisecond. Timers and pins go on, and
  // should the clock ever stand, the servos' timer still wakes it each 20 ms. It is for avrsim's speed.
  void rest();

  // Has it done so since it was asked last?
  bool hung();

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
  void watchdog(bool on) override;
  void trip() override;
};

}  // namespace glue
