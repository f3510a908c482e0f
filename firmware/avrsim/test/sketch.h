// What the test sketches share: a bare serial port at 115200 baud. No Arduino core, so that the tests want only avr-libc.
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
#ifndef SKETCH_H
#define SKETCH_H

#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <stdbool.h>
#include <stdint.h>
#include <util/delay.h>

static inline void serial_begin(void)
{
    UCSR0A = _BV(U2X0);
    UBRR0 = 16;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0);
}

static inline void say_byte(char byte)
{
    while (!(UCSR0A & _BV(UDRE0)))
        ;
    UDR0 = byte;
}

static inline void say(const char *text)
{
    while (*text)
        say_byte(*text++);
}

static inline void say_number(uint16_t number)
{
    char digits[6], *at = digits + 5;
    *at = 0;
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    say(at);
}

// The next byte from the host.
static inline char hear(void)
{
    while (!(UCSR0A & _BV(RXC0)))
        ;
    return UDR0;
}

#endif
