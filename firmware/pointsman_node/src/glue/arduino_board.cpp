#include "arduino_board.h"

#include <avr/eeprom.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <util/atomic.h>

#include "servo_pulses.h"

namespace glue {

namespace {

constexpr uint8_t MOST_FRAMES = node::CUT_MS / FRAME_MS;  // without a look
constexpr uint8_t WATCHDOG = WDTO_250MS;

static_assert(node::WATCHDOG_MS == 250, "the watchdog's own time");

volatile uint8_t frames = 0;
volatile bool has_hung = false;

// The servos' pins are left alone: their pulses end by the timer.
void switch_off() {
  analogWrite(DC_SPEED_PIN, 0);
  digitalWrite(RELAY_PIN, LOW);
  for (uint8_t i = 0; i < MAGNETS; ++i) digitalWrite(MAGNET_PINS[i], LOW);
  for (uint8_t i = 0; i < TURNOUTS; ++i) {
    for (uint8_t leg = 0; leg < 2; ++leg) {
      if (!(leg == 0 && has_servo_pulse(i))) digitalWrite(TURNOUT_PINS[i][leg], LOW);
    }
  }
}

// The loop stands still: no rule of the logic can end a pulse or a speed now, so this does.
void watch_loop() {
  if (frames < MOST_FRAMES) {
    ++frames;
    return;
  }
  switch_off();
  has_hung = true;
}

uint8_t* memory_at(uint8_t place) { return reinterpret_cast<uint8_t*>(static_cast<uintptr_t>(place)); }

}  // namespace

void ArduinoBoard::begin() {
  set_sleep_mode(SLEEP_MODE_IDLE);
  for (uint8_t i = 0; i < ACTUATORS; ++i) {
    digitalWrite(pin(i), LOW);
    pinMode(pin(i), OUTPUT);
  }
  for (uint8_t i = 0; i < BEAMS; ++i) pinMode(BEAM_PINS[i], INPUT_PULLUP);
  start_servo_pulses(watch_loop);
}

void ArduinoBoard::alive() {
  frames = 0;
  wdt_reset();
}

void ArduinoBoard::rest() { sleep_mode(); }

bool ArduinoBoard::hung() {
  bool was = false;
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
    was = has_hung;
    has_hung = false;
  }
  return was;
}

void ArduinoBoard::relay(bool closed) { digitalWrite(RELAY_PIN, closed ? HIGH : LOW); }

void ArduinoBoard::dc(uint8_t direction, uint8_t duty) {
  if (duty == 0) analogWrite(DC_SPEED_PIN, 0);
  digitalWrite(DC_DIRECTION_PIN, direction ? HIGH : LOW);
  if (duty != 0) analogWrite(DC_SPEED_PIN, duty);
}

void ArduinoBoard::magnet(uint8_t magnet, bool on) { digitalWrite(MAGNET_PINS[magnet], on ? HIGH : LOW); }

void ArduinoBoard::solenoid(uint8_t turnout, uint8_t leg, bool on) {
  digitalWrite(TURNOUT_PINS[turnout][leg], on ? HIGH : LOW);
}

void ArduinoBoard::servo(uint8_t turnout, uint16_t pulse_us) { set_servo_pulse(turnout, pulse_us); }

bool ArduinoBoard::beam_high(uint8_t beam) { return digitalRead(BEAM_PINS[beam]) == HIGH; }

uint8_t ArduinoBoard::room() { return static_cast<uint8_t>(min(Serial.availableForWrite(), 255)); }

void ArduinoBoard::write(const char* text, uint8_t length) { Serial.write(text, length); }

bool ArduinoBoard::memory_ready() { return eeprom_is_ready(); }

uint8_t ArduinoBoard::memory_read(uint8_t place) { return eeprom_read_byte(memory_at(place)); }

void ArduinoBoard::memory_write(uint8_t place, uint8_t byte) { eeprom_write_byte(memory_at(place), byte); }

void ArduinoBoard::watchdog(bool on) {
  if (on) wdt_enable(WATCHDOG);
  else wdt_disable();
}

void ArduinoBoard::trip() {
  switch_off();
  wdt_enable(WATCHDOG);
  for (;;) {
  }
}

}  // namespace glue
