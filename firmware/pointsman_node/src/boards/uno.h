// Pins of an Uno or a Nano: an Inglenook. Made for a motor shield of the common kind, which has its direction at 12,
// its speed at 3 and its brake at 9, and measures currents at A0 and A1.
#pragma once

#include <Arduino.h>

#include "../core/hardware.h"

namespace glue {

// A turnout has a servo at its first pin, or a solenoid's coil for closed at the first and for thrown at the second.
// The servos are on another port than the speed of the throttle.
constexpr uint8_t TURNOUT_PINS[][2] = {{10, 7}, {11, 8}};
constexpr uint8_t BEAM_PINS[] = {PIN_A2, PIN_A3, PIN_A4, PIN_A5};
constexpr uint8_t MAGNET_PINS[] = {4, 5, 6};
constexpr uint8_t RELAY_PIN = 2;
constexpr uint8_t DC_DIRECTION_PIN = 12;
constexpr uint8_t DC_SPEED_PIN = 3;
constexpr uint8_t DC_BRAKE_PIN = 9;

constexpr node::Board BOARD = node::Board::uno;

}  // namespace glue
