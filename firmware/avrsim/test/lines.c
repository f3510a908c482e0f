// Counts lines as a plain sketch does: bytes go from the interrupt into a ring of 64, and a line takes 1 ms of work.
// A dot is answered by the number of lines, and by the whole bytes that found the ring full.
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "sketch.h"

static volatile char ring[64];
static volatile uint8_t to;
static volatile uint16_t full;
static uint8_t from;

#ifdef __AVR_ATmega2560__
ISR(USART0_RX_vect)
#else
ISR(USART_RX_vect)
#endif
{
    char byte = UDR0;
    uint8_t next = (to + 1) % sizeof ring;
    if (next == from) {
        full++;
        return;
    }
    ring[to] = byte;
    to = next;
}

int main(void)
{
    uint16_t lines = 0;
    serial_begin();
    UCSR0B |= _BV(RXCIE0);
    sei();
    for (;;) {
        if (from == to)
            continue;
        char byte = ring[from];
        from = (from + 1) % sizeof ring;
        if (byte == '\n') {
            lines++;
            _delay_ms(1);
        } else if (byte == '.') {
            say_number(lines);
            say(" ");
            say_number(full);
            say("\n");
        }
    }
}
