// What happened and has not been told yet, in order.
#pragma once

#include <stdint.h>

#include "protocol_constants.h"

namespace node {

struct Happening {
  Event event;
  uint8_t first;
  uint8_t second;
};

class Outbox {
 public:
  static constexpr uint8_t MOST = 24;

  // One more. When there is no room it is lost, and the count of the next one told shows that.
  void add(Event event, uint8_t first = 0, uint8_t second = 0);

  bool empty() const { return used_ == 0; }
  Happening take();

  // The count of the next one told.
  uint8_t count();

 private:
  Happening waiting_[MOST] = {};
  uint8_t first_ = 0;
  uint8_t used_ = 0;
  uint8_t count_ = 0;
  bool lost_ = false;
};

}  // namespace node
