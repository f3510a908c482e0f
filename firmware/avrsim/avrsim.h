// avrsim: runs a sketch for an Arduino Uno or Mega, with its serial port on a pty and its pins on a socket.
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
#ifndef AVRSIM_H
#define AVRSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sim_avr.h>

#define CYCLES_PER_US 16
#define PINS_MAX 70

// board.c: what runs, and when. Times are in cycles since the program started; they go on over resets.

struct wiring {
    const char *name, *mcu;
    int pins, first_analog, analogs;
    const char *ports;  // of each Arduino pin in turn: the port's letter and the bit
};

enum cause { POWER, EXTERNAL, BROWN_OUT, WATCHDOG };

extern avr_t *avr;
extern const struct wiring *wiring;

bool board_load(const char *board, const char *elf, const char *eeprom, uint32_t boot_us);
uint64_t board_now(void);
void board_run_to(uint64_t cycle);
void board_reset(enum cause why);
void board_power(bool on);
bool board_hang(void);
bool board_powered(void);
bool board_runs(void);  // a sketch does: not the boot loader, and it has not crashed
avr_io_t *board_module(const char *kind, char name);

// Calls `then` after every write to a register. simavr has room for only four registers with two listeners.
typedef void (*after_write)(void *param);
void board_after_write(uint16_t address, after_write then, void *param);

// eeprom.c

bool eeprom_begin(const char *path);  // the file that keeps it, or NULL
const uint8_t *eeprom_bytes(size_t *size);

// pins.c: the board's pins, by their Arduino numbers.

enum { WATCH_EDGES = 1, WATCH_DUTY = 2, WATCH_PULSES = 4 };

void pins_begin(void);
void pins_after_reset(void);
char pin_level(int pin);  // '0' and '1' are driven, 'u' is pulled up, 'z' floats
void pin_watch(int pin, int what);
void pin_drive(int pin, char level);  // '0', '1', or 'z' to let go
bool pin_analog(int channel, uint32_t millivolts);
double pin_duty(int pin);
// The last whole high pulse of a pin; false when it has had none.
bool pin_pulse(int pin, double *width_us, double *period_us, uint64_t *count);
int pin_at(int port, int bit);  // the Arduino number, or -1
void pins_look(int port);       // a port may have changed
int pin_of(const char *word);   // of "13" or "A0"; -1 when the board has no such pin

// timers.c: compare outputs, and what simavr's timers do wrong.

bool timers_begin(void);
void timers_after_reset(void);
// Whether a compare output has hold of a pin, and then its level and (in a PWM mode) its duty, or -1.
bool timer_drives(int port, int bit, int *level, double *duty);

// uart.c: the serial port and the pty.

bool uart_begin(const char *link, bool reset_on_open);
void uart_end(void);
void uart_after_reset(void);
void uart_sketch_begins(void);        // what came before it was lost
bool uart_look(void);                 // reads what the host wrote and sees whether it has opened or gone
void uart_say(void);                  // hands over what the sketch sent until now
void uart_send(const uint8_t *bytes, size_t count);  // as if the host had written them
void uart_report(bool on);
uint64_t uart_read_from_host(void);
uint64_t uart_written_to_host(void);
const char *uart_stand(void);         // its counts, for a person and for a test
int uart_master(void);
bool uart_opened(void);

// control.c: the socket.

bool control_begin(const char *path, bool real_time);
void control_end(void);
bool control_serve(int timeout_ms);  // answers what was asked; false when the program is to end
void control_event(const char *format, ...) __attribute__((format(printf, 1, 2)));
double control_us(uint64_t cycle);

#endif
