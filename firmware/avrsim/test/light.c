// A light that blinks.
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "sketch.h"

#ifdef __AVR_ATmega2560__
enum { LIGHT = 7 };
#else
enum { LIGHT = 5 };
#endif

int main(void)
{
    DDRB |= _BV(LIGHT);
    for (;;) {
        _delay_us(1000);
        PINB = _BV(LIGHT);
    }
}
