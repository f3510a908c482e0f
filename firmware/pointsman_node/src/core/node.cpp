#include "node.h"

namespace node {

constexpr uint8_t Node::MOST_BEAMS;

Node::Node(Hardware& hardware, const Fitted& fitted, Reset cause)
    : hardware_(hardware), fitted_(fitted), cause_(cause) {}

void Node::begin(uint32_t now_ms) {
  cut_current();
  for (uint8_t i = 0; i < fitted_.magnets; ++i) {
    hardware_.magnet(i, false);
    magnets_[i].begin(now_ms);
  }
  for (uint8_t i = 0; i < fitted_.turnouts; ++i) {
    turnouts_[i].begin(i, now_ms);
    told_[i] = Lie::unknown;
  }
  read_settings();
  for (uint8_t i = 0; i < fitted_.beams; ++i) beams_[i].begin(broken(i), now_ms);
  alive_ms_ = now_ms;
  outbox_.add(Event::hello);
  outbox_.add(Event::settings, static_cast<uint8_t>(settings_state_));
  outbox_.add(Event::latch, static_cast<uint8_t>(latch_));
}

void Node::receive(uint8_t byte, uint32_t now_ms) {
  // Before the byte: a beat that comes too late does not hide that it was late.
  watch(now_ms);
  switch (reader_.feed(byte)) {
    case Read::stop:
      stop(Latch::stop, now_ms);
      // Begun anew each time, a stop that is repeated quickly would never see the end.
      if (reporting()) report_again_ = true;
      else reporting_ = 0;
      break;
    case Read::line:
      hear(now_ms);
      break;
    case Read::too_long:
      refuse_unheard(0, Refusal::long_);
      break;
    case Read::no_text:
      refuse_unheard(0, Refusal::form);
      break;
    default:
      break;
  }
}

void Node::tick(uint32_t now_ms) {
  watch(now_ms);
  tick_dc(now_ms);
  tick_magnets(now_ms);
  tick_turnouts(now_ms);
  tick_beams(now_ms);
  tick_store();
  if (trips_ && now_ms - trip_ms_ >= TRIP_MS) {
    trips_ = false;
    hardware_.trip();
  }
  tell(now_ms);
}

void Node::watch(uint32_t now_ms) {
  if (dead_man_.tick(now_ms, settings_.get(Setting::heartbeat_ms)) && !latched()) stop(Latch::heartbeat, now_ms);
}

// The current goes first; what is off already is switched off again.
void Node::stop(Latch why, uint32_t now_ms) {
  const bool drove = ramp_.aimed() != 0;
  ramp_.cut();
  cut_current();
  for (uint8_t i = 0; i < fitted_.magnets; ++i) {
    hardware_.magnet(i, false);
    if (!magnets_[i].on()) continue;
    magnets_[i].cut(now_ms);
    outbox_.add(Event::magnet, i + 1, 0);
  }
  for (uint8_t i = 0; i < fitted_.turnouts; ++i) turnouts_[i].cut(hardware_, now_ms);
  if (drove) outbox_.add(Event::drive, direction_, 0);
  set_latch(why);
}

void Node::cut_current() {
  duty_ = 0;
  if (fitted_.dc) hardware_.dc(direction_, 0);
  if (fitted_.relay) hardware_.relay(false);
}

void Node::set_latch(Latch latch) {
  if (latch == latch_) return;
  latch_ = latch;
  outbox_.add(Event::latch, static_cast<uint8_t>(latch));
}

// Settings are changed only when nothing can move, and nothing is half stored.
bool Node::may_move() const {
  if (!latched() || storing()) return true;
  for (uint8_t i = 0; i < fitted_.turnouts; ++i) {
    if (turnouts_[i].moving()) return true;
  }
  return false;
}

void Node::tick_dc(uint32_t now_ms) {
  ramp_.tick(now_ms, settings_.get(Setting::dc_steps_per_100_ms));
  put_dc(Ramp::duty(ramp_.step(), static_cast<uint8_t>(settings_.get(Setting::dc_lowest))));
}

void Node::put_dc(uint8_t duty) {
  if (duty == duty_) return;
  duty_ = duty;
  hardware_.dc(direction_, duty);
}

void Node::tick_magnets(uint32_t now_ms) {
  for (uint8_t i = 0; i < fitted_.magnets; ++i) {
    if (!magnets_[i].tick(now_ms, settings_.get(Setting::magnet_rest_ms))) continue;
    hardware_.magnet(i, false);
    outbox_.add(Event::magnet, i + 1, 0);
  }
}

void Node::tick_turnouts(uint32_t now_ms) {
  for (uint8_t i = 0; i < fitted_.turnouts; ++i) {
    turnouts_[i].tick(settings_, hardware_, now_ms);
    if (turnouts_[i].lie() != told_[i]) tell_turnout(i);
  }
}

void Node::tell_turnout(uint8_t turnout) {
  told_[turnout] = turnouts_[turnout].lie();
  outbox_.add(Event::turnout, turnout + 1, static_cast<uint8_t>(told_[turnout]));
}

void Node::tick_beams(uint32_t now_ms) {
  const uint16_t on_ms = settings_.get(Setting::beam_on_ms);
  const uint16_t off_ms = settings_.get(Setting::beam_off_ms);
  for (uint8_t i = 0; i < fitted_.beams; ++i) {
    if (beams_[i].look(broken(i), now_ms, on_ms, off_ms)) outbox_.add(Event::beam, i + 1, beams_[i].on());
  }
}

bool Node::broken(uint8_t beam) { return hardware_.beam_high(beam) != (settings_.get(Setting::beam_inverted, beam) != 0); }

// A byte takes the memory 3.4 ms: one at a time, while everything else goes on.
void Node::tick_store() {
  if (!storing() || !hardware_.memory_ready()) return;
  if (stored_ < Settings::PICTURE) {
    const uint8_t byte = settings_.picture(stored_);
    if (hardware_.memory_read(stored_) != byte) hardware_.memory_write(stored_, byte);
    ++stored_;
    return;
  }
  bool good = true;
  for (uint8_t i = 0; i < Settings::PICTURE; ++i) good = good && hardware_.memory_read(i) == settings_.picture(i);
  const uint16_t number = storing_number_;
  storing_number_ = 0;
  if (good) {
    settings_state_ = SettingsState::stored;
    outbox_.add(Event::settings, static_cast<uint8_t>(settings_state_));
  }
  // Who has sent another command in between has not waited, and is not told.
  if (number == number_) answer(Verb::store, good ? FINE : Refusal::memory);
}

void Node::read_settings() {
  uint8_t picture[Settings::PICTURE];
  for (uint8_t i = 0; i < Settings::PICTURE; ++i) picture[i] = hardware_.memory_read(i);
  settings_state_ = settings_.take(picture) ? SettingsState::stored : SettingsState::defaults;
  hardware_.watchdog(settings_.get(Setting::watchdog) != 0);
}

}  // namespace node
