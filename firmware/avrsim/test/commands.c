// Says why it was started; then does one thing for each small letter that comes, and sends back every other.
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
#include "sketch.h"

#ifdef __AVR_ATmega2560__
enum { LIGHT = 7, INT0_BIT = 0 };
#else
enum { LIGHT = 5, INT0_BIT = 2 };
#endif

static uint8_t cause __attribute__((section(".noinit")));

// Before main, since a watchdog that has once reset the board stays on.
__attribute__((naked, used, section(".init3"))) void keep_cause(void)
{
    cause = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

int main(void)
{
    serial_begin();
    DDRB |= _BV(LIGHT);
    say("begun ");
    say_number(cause);
    say("\n");
    for (;;) {
        char letter = hear();
        switch (letter) {
        case 'h':  // its light
            PORTB |= _BV(LIGHT);
            break;
        case 'l':
            PORTB &= ~_BV(LIGHT);
            break;
        case 'i':  // the pin of INT0 and one without an interrupt: 1 is high
            say_byte(PIND & _BV(INT0_BIT) ? '1' : '0');
            say_byte(PINC & _BV(0) ? '1' : '0');
            break;
        case 'u':  // pulled up
            PORTC |= _BV(0);
            PORTD |= _BV(INT0_BIT);
            break;
        case 'a':
            ADMUX = _BV(REFS0) | 1;
            ADCSRA = _BV(ADEN) | _BV(ADSC) | 7;
            while (ADCSRA & _BV(ADSC))
                ;
            say_number(ADC);
            say("\n");
            break;
        case 'e':  // one more in the EEPROM
            eeprom_write_byte((uint8_t *)7, eeprom_read_byte((uint8_t *)7) + 1);
            say_number(eeprom_read_byte((uint8_t *)7));
            say("\n");
            break;
        case 'd':  // it does nothing else for a while
            _delay_ms(5);
            break;
        case 'w':  // an endless loop
            wdt_enable(WDTO_250MS);
            for (;;)
                ;
        case 'z':  // it sleeps for ever
            cli();
            sleep_enable();
            sleep_cpu();
            break;
        default:
            say_byte(letter);
        }
    }
}
