#include "outbox.h"

namespace node {

constexpr uint8_t Outbox::MOST;

void Outbox::add(Event event, uint8_t first, uint8_t second) {
  if (used_ == MOST) {
    lost_ = true;
    return;
  }
  waiting_[(first_ + used_++) % MOST] = {event, first, second};
}

Happening Outbox::take() {
  const Happening taken = waiting_[first_];
  first_ = static_cast<uint8_t>((first_ + 1) % MOST);
  --used_;
  return taken;
}

uint8_t Outbox::count() {
  if (lost_) {
    lost_ = false;
    count_ = count_ == LAST_COUNT ? 0 : count_ + 1;
  }
  const uint8_t count = count_;
  count_ = count_ == LAST_COUNT ? 0 : count_ + 1;
  return count;
}

}  // namespace node
