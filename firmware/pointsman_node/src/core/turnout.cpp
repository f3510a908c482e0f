#include "turnout.h"

namespace node {

namespace {

Lie lie_of(uint8_t leg) { return leg == 0 ? Lie::closed : Lie::thrown; }

}  // namespace

void Turnout::begin(uint8_t turnout, uint32_t now_ms) {
  turnout_ = turnout;
  coil_.begin(now_ms);
}

Refusal Turnout::command(uint8_t leg, bool latched, const Settings& settings, Hardware& hardware, uint32_t now_ms) {
  switch (static_cast<Machine>(settings.get(Setting::machine, turnout_))) {
    case Machine::servo: {
      const Setting end = leg == 0 ? Setting::closed_us : Setting::thrown_us;
      servo_.command(settings.get(end, turnout_), now_ms, settings.get(Setting::servo_ms_per_100_us));
      break;
    }
    case Machine::solenoid:
      if (latched) return Refusal::latched;
      if (!coil_.ready()) return Refusal::resting;
      coil_.start(now_ms, settings.get(Setting::solenoid_ms));
      hardware.solenoid(turnout_, leg, true);
      break;
    default:
      return Refusal::absent;
  }
  leg_ = leg;
  lie_ = Lie::moving;
  return FINE;
}

void Turnout::tick(const Settings& settings, Hardware& hardware, uint32_t now_ms) {
  if (servo_.tick(now_ms, settings.get(Setting::servo_hold_ms))) lie_ = lie_of(leg_);
  if (coil_.tick(now_ms, settings.get(Setting::solenoid_rest_ms))) {
    hardware.solenoid(turnout_, leg_, false);
    lie_ = lie_of(leg_);
  }
  const uint16_t pulse_us = servo_.pulse_us(now_ms);
  if (pulse_us == pulse_us_) return;
  pulse_us_ = pulse_us;
  hardware.servo(turnout_, pulse_us);
}

void Turnout::cut(Hardware& hardware, uint32_t now_ms) {
  if (!coil_.on()) return;
  coil_.cut(now_ms);
  hardware.solenoid(turnout_, leg_, false);
  lie_ = Lie::unknown;
}

void Turnout::forget(Hardware& hardware, uint32_t now_ms) {
  cut(hardware, now_ms);
  servo_.release();
  pulse_us_ = 0;
  hardware.servo(turnout_, 0);
  lie_ = Lie::unknown;
}

}  // namespace node
