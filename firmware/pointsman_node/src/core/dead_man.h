// Watches the heartbeat of the host.
#pragma once

#include <stdint.h>

namespace node {

class DeadMan {
 public:
  // The first beat, and the first one after a loss, begins the watch.
  void beat(uint32_t now_ms);

  // True when the heartbeat has just been lost.
  bool tick(uint32_t now_ms, uint16_t longest_ms);

  // Does a heartbeat come?
  bool watching() const { return watching_; }

 private:
  uint32_t beat_ms_ = 0;
  bool watching_ = false;
};

}  // namespace node
