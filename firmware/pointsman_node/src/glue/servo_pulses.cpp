#include "servo_pulses.h"

#include <util/atomic.h>

#include "board.h"

namespace glue {

namespace {

constexpr uint16_t TICKS_PER_US = F_CPU / 8 / 1000000;
constexpr uint16_t FRAME_TICKS = FRAME_MS * 1000 * TICKS_PER_US;
// So long the interrupt needs at the least to set its next one.
constexpr uint16_t SHORTEST_TICKS = 100 * TICKS_PER_US;

static_assert(F_CPU % 8000000 == 0, "a tick is a whole part of a microsecond");
static_assert(FRAME_MS * 1000UL * TICKS_PER_US < 65536, "a frame is shorter than a turn of the timer");

struct Channel {
  volatile uint8_t* port;
  uint8_t mask;
  uint16_t ticks;  // 0: no pulse
};

Channel channels[TURNOUTS];
uint8_t at = TURNOUTS;  // the channel whose pulse is on; behind the last one: the rest of the frame
uint16_t began_ticks = 0;  // the frame
void (*each_frame)() = nullptr;

// Sets the next interrupt. True when a frame begins.
bool walk() {
  // Counted from the moment that was set, not from now: what delays the interrupt delays both edges alike.
  const uint16_t moment_ticks = OCR1A;
  const bool begins = at == TURNOUTS;
  if (begins) {
    at = 0;
    began_ticks = moment_ticks;
  } else {
    *channels[at].port &= static_cast<uint8_t>(~channels[at].mask);
    ++at;
  }
  while (at < TURNOUTS && channels[at].ticks == 0) ++at;
  if (at < TURNOUTS) {
    *channels[at].port |= channels[at].mask;
    OCR1A = moment_ticks + channels[at].ticks;
    return begins;
  }
  // Eight pulses of the longest width fill a frame; then the next one begins a little later.
  const uint16_t used_ticks = moment_ticks - began_ticks;
  OCR1A = used_ticks < FRAME_TICKS - SHORTEST_TICKS ? began_ticks + FRAME_TICKS : moment_ticks + SHORTEST_TICKS;
  return begins;
}

}  // namespace

void start_servo_pulses(void (*at_frame)()) {
  for (uint8_t i = 0; i < TURNOUTS; ++i) {
    const uint8_t pin = TURNOUT_PINS[i][0];
    channels[i] = {portOutputRegister(digitalPinToPort(pin)), digitalPinToBitMask(pin), 0};
  }
  each_frame = at_frame;
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
    TCCR1B = 0;
    TCCR1A = 0;
    TCNT1 = 0;
    OCR1A = FRAME_TICKS;
    TIFR1 = _BV(OCF1A);
    TIMSK1 = _BV(OCIE1A);
    TCCR1B = _BV(CS11);  // last: it runs from here, an eighth of the clock
  }
}

void set_servo_pulse(uint8_t turnout, uint16_t pulse_us) {
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { channels[turnout].ticks = pulse_us * TICKS_PER_US; }
}

bool has_servo_pulse(uint8_t turnout) { return channels[turnout].ticks != 0; }

}  // namespace glue

ISR(TIMER1_COMPA_vect) {
  if (glue::walk()) glue::each_frame();
}
