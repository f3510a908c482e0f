// The board that this is compiled for, and whether its pins can be right.
#pragma once

#if defined(__AVR_ATmega328P__)
#include "../boards/uno.h"
#elif defined(__AVR_ATmega2560__)
#include "../boards/mega.h"
#else
#error "The node runs on an Arduino Uno or Nano (ATmega328P) or on a Mega 2560"
#endif

namespace glue {

template <typename Item, uint8_t COUNT>
constexpr uint8_t count_of(const Item (&)[COUNT]) {
  return COUNT;
}

constexpr uint8_t TURNOUTS = count_of(TURNOUT_PINS);
constexpr uint8_t BEAMS = count_of(BEAM_PINS);
constexpr uint8_t MAGNETS = count_of(MAGNET_PINS);
constexpr node::Fitted FITTED = {BOARD, TURNOUTS, BEAMS, MAGNETS, true, true};

// Every pin with something at it that moves or gets hot, then those of the beams.
constexpr uint8_t ACTUATORS = 2 * TURNOUTS + MAGNETS + 4;
constexpr uint8_t PINS = ACTUATORS + BEAMS;
constexpr uint8_t pin(uint8_t place) {
  return place < 2 * TURNOUTS             ? TURNOUT_PINS[place / 2][place % 2]
         : place < 2 * TURNOUTS + MAGNETS ? MAGNET_PINS[place - 2 * TURNOUTS]
         : place == ACTUATORS - 4         ? RELAY_PIN
         : place == ACTUATORS - 3         ? DC_DIRECTION_PIN
         : place == ACTUATORS - 2         ? DC_SPEED_PIN
         : place == ACTUATORS - 1         ? DC_BRAKE_PIN
                                          : BEAM_PINS[place - ACTUATORS];
}

// 0 and 1 are the host's line, and 13 blinks while a board starts.
constexpr bool may_move(uint8_t pin) { return pin > 1 && pin != 13; }
constexpr bool all_may_move(uint8_t place) {
  return place == PINS || (may_move(pin(place)) && all_may_move(place + 1));
}
constexpr bool alone(uint8_t place, uint8_t other) {
  return other == PINS || (pin(place) != pin(other) && alone(place, other + 1));
}
constexpr bool all_alone(uint8_t place) { return place == PINS || (alone(place, place + 1) && all_alone(place + 1)); }

static_assert(all_may_move(0), "pins 0, 1 and 13 carry nothing");
static_assert(all_alone(0), "a pin is given twice");
static_assert(TURNOUTS <= node::HIGHEST_TURNOUT && BEAMS <= node::HIGHEST_OF && MAGNETS <= node::HIGHEST_MAGNET,
              "more is fitted than the protocol can name");

}  // namespace glue
