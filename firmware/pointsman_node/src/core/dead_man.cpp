#include "dead_man.h"

namespace node {

void DeadMan::beat(uint32_t now_ms) {
  watching_ = true;
  beat_ms_ = now_ms;
}

bool DeadMan::tick(uint32_t now_ms, uint16_t longest_ms) {
  if (!watching_ || now_ms - beat_ms_ < longest_ms) return false;
  watching_ = false;
  return true;
}

}  // namespace node
