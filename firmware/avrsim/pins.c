// The pins: what the sketch drives, what it is given, and what can be measured on them.
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// The levels are read from the registers, not from simavr's pin signals: those come again for all pins of a port with
// every write to one of them, and a compare output then shows a pulse that is not there.
#include <ctype.h>
#include <stdlib.h>

#include <avr_adc.h>
#include <avr_ioport.h>
#include <sim_io.h>

#include "avrsim.h"

enum { PORTS = 12, ADC_HELD = 8 };

struct pin {
    int port, bit, watched;
    char level, given;
    double duty;
    bool rose, whole;
    uint64_t rise, last_rise, width, period, pulses;
};

static struct pin pins[PINS_MAX];
static int numbers[PORTS][8];
static uint32_t analog_mv[ADC_HELD];
static bool analog_given[ADC_HELD];

// Of PINx; DDRx and PORTx follow it.
static int address(int port)
{
    return port < 7 ? 0x20 + 3 * port : port == 7 ? 0x100 : 0x103 + 3 * (port - 9);
}

int pin_at(int port, int bit) { return numbers[port][bit]; }

int pin_of(const char *word)
{
    char *end;
    bool analog = toupper((unsigned char)word[0]) == 'A';
    if (!isdigit((unsigned char)word[analog]))
        return -1;
    long number = strtol(word + analog, &end, 10);
    if (*end || number >= (analog ? wiring->analogs : wiring->pins))
        return -1;
    return (int)number + (analog ? wiring->first_analog : 0);
}

static bool driven(const struct pin *pin) { return avr->data[address(pin->port) + 1] >> pin->bit & 1; }

char pin_level(int number)
{
    struct pin *pin = &pins[number];
    int level;
    double duty;
    if (!board_powered())
        return 'z';
    if (driven(pin) && timer_drives(pin->port, pin->bit, &level, &duty))
        return (char)('0' + level);
    bool set = avr->data[address(pin->port) + 2] >> pin->bit & 1;
    return driven(pin) ? (char)('0' + set) : set ? 'u' : 'z';
}

double pin_duty(int number)
{
    struct pin *pin = &pins[number];
    int level;
    double duty;
    if (board_powered() && driven(pin) && timer_drives(pin->port, pin->bit, &level, &duty) && duty >= 0)
        return duty;
    return pin_level(number) == '1' ? 1 : 0;
}

bool pin_pulse(int number, double *width_us, double *period_us, uint64_t *count)
{
    struct pin *pin = &pins[number];
    *width_us = control_us(pin->width);
    *period_us = control_us(pin->period);
    *count = pin->pulses;
    return pin->pulses > 0;
}

static void measure(int number, char level)
{
    struct pin *pin = &pins[number];
    uint64_t now = board_now();
    if (level == '1') {
        pin->period = pin->rose ? now - pin->rise : 0;
        pin->rise = now;
        pin->rose = true;
    } else if (pin->level == '1' && pin->rose) {
        pin->width = now - pin->rise;
        pin->pulses++;
        if (pin->watched & WATCH_PULSES)
            control_event("pulse %.4f %d %.4f", control_us(now), number, control_us(pin->width));
    }
}

void pins_look(int port)
{
    for (int bit = 0; bit < 8; bit++) {
        int number = numbers[port][bit];
        if (number < 0)
            continue;
        struct pin *pin = &pins[number];
        char level = pin_level(number);
        if (level != pin->level) {
            measure(number, level);
            pin->level = level;
            if (pin->watched & WATCH_EDGES)
                control_event("edge %.4f %d %c", control_us(board_now()), number, level);
        }
        if (pin->watched & WATCH_DUTY) {
            double duty = pin_duty(number);
            if (duty != pin->duty)
                control_event("duty %.4f %d %.6f", control_us(board_now()), number, duty);
            pin->duty = duty;
        }
    }
}

static void look(void *port) { pins_look((int)(intptr_t)port); }

void pin_watch(int number, int what)
{
    pins[number].watched = what;
    pins[number].duty = pin_duty(number);
}

static avr_irq_t *signal_of(const struct pin *pin)
{
    return avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('A' + pin->port), pin->bit);
}

// Both ways are needed: the one for a pin that is an input now, the other for one that becomes an input later.
static void give(const struct pin *pin)
{
    avr_ioport_external_t external = {.name = (unsigned char)('A' + pin->port)};
    unsigned mask = 0, value = 0;
    for (int bit = 0; bit < 8; bit++) {
        int number = numbers[pin->port][bit];
        if (number >= 0 && pins[number].given != 'z') {
            mask |= 1u << bit;
            value |= (unsigned)(pins[number].given == '1') << bit;
        }
    }
    external.mask = mask & 0xff;
    external.value = value & 0xff;
    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL('A' + pin->port), &external);
    if (!driven(pin)) {
        bool pulled_up = avr->data[address(pin->port) + 2] >> pin->bit & 1;
        avr_raise_irq(signal_of(pin), pin->given == '1' || (pin->given == 'z' && pulled_up));
    }
}

void pin_drive(int number, char level)
{
    pins[number].given = level;
    if (board_powered())
        give(&pins[number]);
}

bool pin_analog(int channel, uint32_t millivolts)
{
    if (channel >= ADC_HELD)
        return false;
    analog_mv[channel] = millivolts;
    analog_given[channel] = true;
    avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0 + channel), millivolts);
    return true;
}

void pins_after_reset(void)
{
    for (int i = 0; i < wiring->pins; i++) {
        // simavr clears the registers and not its signals: without this a pull-up that comes again is not seen, and
        // the pin reads low.
        signal_of(&pins[i])->flags |= IRQ_FLAG_INIT;
        if (pins[i].given != 'z')
            give(&pins[i]);
    }
    for (int i = 0; i < ADC_HELD; i++)
        if (analog_given[i])
            pin_analog(i, analog_mv[i]);
    for (int port = 0; port < PORTS; port++)
        pins_look(port);
}

void pins_begin(void)
{
    bool used[PORTS] = {false};
    for (int port = 0; port < PORTS; port++)
        for (int bit = 0; bit < 8; bit++)
            numbers[port][bit] = -1;
    for (int i = 0; i < wiring->pins; i++) {
        int port = wiring->ports[2 * i] - 'A', bit = wiring->ports[2 * i + 1] - '0';
        pins[i] = (struct pin){.port = port, .bit = bit, .level = 'z', .given = 'z'};
        numbers[port][bit] = i;
        used[port] = true;
    }
    for (int port = 0; port < PORTS; port++)
        for (int i = 0; used[port] && i < 3; i++)
            board_after_write((uint16_t)(address(port) + i), look, (void *)(intptr_t)port);
}
