// What the host tells the node, and whether it is carried out.
#include "node.h"

namespace node {

void Node::hear(uint32_t now_ms) {
  Command command;
  const char* line = reader_.line();
  const Refusal unread = open_line(line, reader_.length(), command);
  if (unread != FINE) return refuse_unheard(command.number, unread);
  const uint8_t length = reader_.length() - CHECK;
  if (command.number == number_) {
    if (memcmp(body_, line, length) != 0 || body_[length] != '\0') return refuse_unheard(number_, Refusal::number);
    answer_due_ = answered_;
    return;
  }
  // A host sends its next command after the answer. Who does not is not heard before the answer is gone.
  if (answer_due_) return;
  number_ = command.number;
  memcpy(body_, line, length);
  body_[length] = '\0';
  answered_ = false;
  Refusal refusal = read_command(body_, command);
  if (refusal == FINE) refusal = carry_out(command, now_ms);
  // Storing is answered when it is done.
  if (refusal != FINE || command.verb != Verb::store) answer(command.verb, refusal);
}

// What moves something, or may change what moves. What stops and switches off is heard from anybody.
bool Node::moves(const Command& command) {
  switch (command.verb) {
    case Verb::hello:
    case Verb::state:
    case Verb::beat:
    case Verb::off_:
    case Verb::get:
      return false;
    case Verb::magnet:
    case Verb::drive:
      return command.values[1] != 0;
    default:
      return true;
  }
}

Refusal Node::carry_out(const Command& command, uint32_t now_ms) {
  if (!greeted_ && moves(command)) return Refusal::version;
  // What begins now would be left half done when the program hangs: points on their way, settings half stored.
  if (trips_ && moves(command)) return Refusal::moving;
  switch (command.verb) {
    case Verb::hello:
      return greet(command, now_ms);
    case Verb::state:
      reporting_ = 0;
      report_again_ = false;
      return FINE;
    case Verb::beat:
      dead_man_.beat(now_ms);
      return FINE;
    case Verb::arm:
      return arm();
    case Verb::off_:
      stop(Latch::host, now_ms);
      return FINE;
    case Verb::turnout:
      return set_turnout(command, now_ms);
    case Verb::magnet:
      return set_magnet(command, now_ms);
    case Verb::drive:
      return set_drive(command, now_ms);
    case Verb::get:
      return get_setting(command);
    case Verb::set:
      return set_setting(command, now_ms);
    case Verb::store:
      return store();
    case Verb::defaults:
      return forget_settings(now_ms);
    default:
      return trip(now_ms);
  }
}

// A host that means other things with the same words is not obeyed, and what another one has commanded is stopped.
Refusal Node::greet(const Command& command, uint32_t now_ms) {
  greeted_ = command.values[0] == VERSION;
  if (greeted_) return FINE;
  if (!latched()) stop(Latch::version, now_ms);
  return Refusal::version;
}

Refusal Node::arm() {
  if (commanded_ != 0 || storing()) return Refusal::moving;
  if (!dead_man_.watching()) return Refusal::unwatched;
  if (fitted_.relay) hardware_.relay(true);
  set_latch(Latch::none);
  return FINE;
}

Refusal Node::set_turnout(const Command& command, uint32_t now_ms) {
  const uint16_t turnout = command.values[0];
  if (turnout > fitted_.turnouts) return Refusal::absent;
  const uint8_t leg = static_cast<uint8_t>(command.values[1]);
  const Refusal refusal = turnouts_[turnout - 1].command(leg, latched(), settings_, hardware_, now_ms);
  // Told now: a servo that is there already has arrived at the next look, and its host waits for that.
  if (refusal == FINE) tell_turnout(static_cast<uint8_t>(turnout - 1));
  return refusal;
}

Refusal Node::set_magnet(const Command& command, uint32_t now_ms) {
  const uint8_t magnet = static_cast<uint8_t>(command.values[0]);
  const uint16_t on_ms = command.values[1];
  if (magnet > fitted_.magnets) return Refusal::absent;
  Pulse& pulse = magnets_[magnet - 1];
  if (on_ms == 0) {
    hardware_.magnet(magnet - 1, false);
    if (pulse.on()) outbox_.add(Event::magnet, magnet, 0);
    pulse.cut(now_ms);
    return FINE;
  }
  if (on_ms > settings_.get(Setting::magnet_ms)) return Refusal::range;
  if (latched()) return Refusal::latched;
  if (!pulse.ready()) return Refusal::resting;
  pulse.start(now_ms, on_ms);
  hardware_.magnet(magnet - 1, true);
  outbox_.add(Event::magnet, magnet, 1);
  return FINE;
}

// Speed 0 is taken at any time: a stop leaves what was commanded, and arming wants it to be 0.
Refusal Node::set_drive(const Command& command, uint32_t now_ms) {
  if (!fitted_.dc) return Refusal::absent;
  uint8_t direction = static_cast<uint8_t>(command.values[0]);
  const uint8_t step = static_cast<uint8_t>(command.values[1]);
  const bool runs = ramp_.step() != 0;
  if (step != 0) {
    if (latched()) return Refusal::latched;
    if (direction != direction_ && (runs || commanded_ != 0)) return Refusal::moving;
  } else if (runs) {
    direction = direction_;  // it slows down in the direction in which it runs
  }
  const bool changed = direction != direction_ || step != ramp_.aimed();
  direction_ = direction;
  commanded_ = step;
  ramp_.aim(step, now_ms);
  if (changed) outbox_.add(Event::drive, direction, step);
  return FINE;
}

// ``of`` counts from 0 here.
Refusal Node::find_setting(const Command& command, uint8_t& of) const {
  const Of belongs_to = Settings::belongs_to(static_cast<Setting>(command.values[0]));
  of = static_cast<uint8_t>(command.values[1]);
  if (belongs_to == Of::node) return of == 0 ? FINE : Refusal::range;
  if (of == 0) return Refusal::range;
  return of-- > (belongs_to == Of::turnout ? fitted_.turnouts : fitted_.beams) ? Refusal::absent : FINE;
}

Refusal Node::get_setting(const Command& command) {
  uint8_t of = 0;
  const Refusal refusal = find_setting(command, of);
  if (refusal == FINE) got_ = settings_.get(static_cast<Setting>(command.values[0]), of);
  return refusal;
}

Refusal Node::set_setting(const Command& command, uint32_t now_ms) {
  uint8_t of = 0;
  const Refusal refusal = find_setting(command, of);
  if (refusal != FINE) return refusal;
  if (may_move()) return Refusal::moving;
  const Setting setting = static_cast<Setting>(command.values[0]);
  const uint16_t before = settings_.get(setting, of);
  if (!settings_.set(setting, of, command.values[2])) return Refusal::range;
  if (!settings_.rests()) {
    settings_.set(setting, of, before);
    return Refusal::duty;
  }
  if (command.values[2] == before) return FINE;
  if (setting == Setting::machine) turnouts_[of].forget(hardware_, now_ms);
  if (setting == Setting::watchdog) hardware_.watchdog(command.values[2] != 0);
  return FINE;
}

Refusal Node::store() {
  if (may_move()) return Refusal::moving;
  storing_number_ = number_;
  stored_ = 0;
  return FINE;
}

Refusal Node::forget_settings(uint32_t now_ms) {
  if (may_move()) return Refusal::moving;
  settings_.defaults();
  settings_state_ = SettingsState::defaults;
  outbox_.add(Event::settings, static_cast<uint8_t>(settings_state_));
  for (uint8_t i = 0; i < fitted_.turnouts; ++i) turnouts_[i].forget(hardware_, now_ms);
  hardware_.watchdog(settings_.get(Setting::watchdog) != 0);
  return FINE;
}

Refusal Node::trip(uint32_t now_ms) {
  if (may_move()) return Refusal::moving;
  trips_ = true;
  trip_ms_ = now_ms;
  return FINE;
}

}  // namespace node
