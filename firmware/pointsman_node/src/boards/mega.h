// Pins of a Mega 2560: a Timesaver. The motor shield's are where they are on an Uno; 18 and 19 stay free for a second
// serial port.
#pragma once

#include <Arduino.h>

#include "../core/hardware.h"

namespace glue {

// A turnout has a servo at its first pin, or a solenoid's coil for closed at the first and for thrown at the second.
constexpr uint8_t TURNOUT_PINS[][2] = {{22, 23}, {24, 25}, {26, 27}, {28, 29}, {30, 31}};
constexpr uint8_t BEAM_PINS[] = {PIN_A2, PIN_A3, PIN_A4,  PIN_A5,  PIN_A6,  PIN_A7,
                                 PIN_A8, PIN_A9, PIN_A10, PIN_A11, PIN_A12, PIN_A13};
constexpr uint8_t MAGNET_PINS[] = {32, 33, 34, 35, 36, 37, 38, 39, 40};
constexpr uint8_t RELAY_PIN = 2;
constexpr uint8_t DC_DIRECTION_PIN = 12;
constexpr uint8_t DC_SPEED_PIN = 3;
constexpr uint8_t DC_BRAKE_PIN = 9;

constexpr node::Board BOARD = node::Board::mega;

}  // namespace glue
