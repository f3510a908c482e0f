// Servo pulses on pins 9 and 10 by the compare outputs of timer 1, in mode 14; the letters a to z set the width of pin 9,
// + makes the period twice as long and - as before.
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "sketch.h"

int main(void)
{
    serial_begin();
#ifdef __AVR_ATmega2560__
    DDRB |= _BV(5) | _BV(6);
#else
    DDRB |= _BV(1) | _BV(2);
#endif
    TCCR1A = _BV(COM1A1) | _BV(COM1B1) | _BV(WGM11);
    TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS11);
    ICR1 = 39999;  // 20 ms, set while the clock runs
    OCR1A = 2 * 1000 - 1;
    OCR1B = 2 * 1500 - 1;
    for (;;) {
        char letter = hear();
        if (letter == '+' || letter == '-') {
            ICR1 = letter == '+' ? 59999 : 39999;
        } else {
            uint16_t width_us = 544 + 56 * (uint16_t)(letter - 'a');
            OCR1A = 2 * width_us - 1;
        }
    }
}
