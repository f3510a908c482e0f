// A contact that has to last before it is believed.
#pragma once

#include <stdint.h>

namespace node {

class Debounce {
 public:
  // Begin as the contact is now.
  void begin(bool on, uint32_t now_ms);

  // Look again; true when what is believed has changed. It changes when the other thing was seen without a break for
  // on_ms (to on) or off_ms (to off).
  bool look(bool on, uint32_t now_ms, uint16_t on_ms, uint16_t off_ms);

  bool on() const { return on_; }

 private:
  uint32_t since_ms_ = 0;  // when the other thing was seen first
  bool on_ = false;
  bool doubted_ = false;
};

}  // namespace node
