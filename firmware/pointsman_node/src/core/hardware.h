// What the logic asks of the board it runs on. Turnouts, beams and magnets are counted from 0 here.
#pragma once

#include <stdint.h>

#include "protocol_constants.h"

namespace node {

// What a board has pins for.
struct Fitted {
  Board board;
  uint8_t turnouts;
  uint8_t beams;
  uint8_t magnets;
  bool dc;
  bool relay;
};

class Hardware {
 public:
  virtual void relay(bool closed) = 0;
  virtual void dc(uint8_t direction, uint8_t duty) = 0;
  virtual void magnet(uint8_t magnet, bool on) = 0;
  virtual void solenoid(uint8_t turnout, uint8_t leg, bool on) = 0;
  virtual void servo(uint8_t turnout, uint16_t pulse_us) = 0;  // 0: no pulse
  virtual bool beam_high(uint8_t beam) = 0;

  virtual uint8_t room() = 0;  // for bytes to the host, now
  virtual void write(const char* text, uint8_t length) = 0;

  virtual bool memory_ready() = 0;  // to be read and written
  virtual uint8_t memory_read(uint8_t place) = 0;
  virtual void memory_write(uint8_t place, uint8_t byte) = 0;

  virtual void watchdog(bool on) = 0;
  virtual void trip() = 0;  // let the watchdog bite; on a board, it does not return

 protected:
  ~Hardware() = default;
};

}  // namespace node
