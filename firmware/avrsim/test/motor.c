// A motor's PWM on OC1A in the mode that counts up and down to ICR1 (8), OC2B in fast PWM; letters set the parts
// and are sent back. Other pins of the same port change all the time.
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "sketch.h"

#ifdef __AVR_ATmega2560__
enum { OC1A_BIT = 5, BUSY_BIT = 4 };
#else
enum { OC1A_BIT = 1, BUSY_BIT = 4 };
#endif

int main(void)
{
    serial_begin();
    DDRB |= _BV(OC1A_BIT) | _BV(BUSY_BIT);
#ifdef __AVR_ATmega2560__
    DDRH |= _BV(6);
#else
    DDRD |= _BV(3);
#endif
    ICR1 = 400;  // 20 kHz
    OCR1A = 100;
    TCCR1A = _BV(COM1A1);
    TCCR1B = _BV(WGM13) | _BV(CS10);
    OCR2B = 63;
    TCCR2A = _BV(COM2B1) | _BV(WGM21) | _BV(WGM20);
    TCCR2B = _BV(CS22);
    say("begun\n");
    for (;;) {
        if (UCSR0A & _BV(RXC0)) {
            char letter = UDR0;
            if (letter == '0')
                TCCR2A = 0;
            else if (letter == '1')  // up and down to 255
                TCCR2A = _BV(COM2B1) | _BV(WGM20);
            else
                OCR1A = OCR2B = (uint8_t)letter;
            say_byte(letter);
        }
        PINB = _BV(BUSY_BIT);
        _delay_us(7);
    }
}
