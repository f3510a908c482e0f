#include "debounce.h"

namespace node {

void Debounce::begin(bool on, uint32_t now_ms) {
  on_ = on;
  doubted_ = false;
  since_ms_ = now_ms;
}

bool Debounce::look(bool on, uint32_t now_ms, uint16_t on_ms, uint16_t off_ms) {
  if (on == on_) {
    doubted_ = false;
    return false;
  }
  if (!doubted_) {
    doubted_ = true;
    since_ms_ = now_ms;
  }
  if (now_ms - since_ms_ < (on ? on_ms : off_ms)) return false;
  on_ = on;
  doubted_ = false;
  return true;
}

}  // namespace node
