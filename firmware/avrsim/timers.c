// The timers' compare outputs, and what simavr 1.6 does wrong with them.
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
//
// In the PWM modes whose top is ICRn, simavr takes no notice of a compare value or a top that is written while the
// timer runs (mode 14). Of the modes that count up and down it lacks some, and takes the others for a timer that
// overflows at every count. Here they are given what they lack: the right period and the right pulse in each period.
// A pulse of a mode that counts up and down begins with its period instead of standing about its middle, TCNTn counts
// up only, and the first pulse after a change of mode may be short.
#include <stdio.h>

#include <avr_timer.h>
#include <sim_io.h>
#include <sim_regbit.h>

#include "avrsim.h"

enum { TCCRB = 1, ICR = 6, TIMERS = 6, OUTPUTS = 16, CHANNELS = 3 };

static const uint16_t BASES[TIMERS] = {0x44, 0x80, 0xb0, 0x90, 0xa0, 0x120};  // TCCRnA

struct output {
    int timer, channel, port, bit, level;
};

static const struct output UNO_OUTPUTS[] = {
    {0, 0, 'D', 6}, {0, 1, 'D', 5}, {1, 0, 'B', 1}, {1, 1, 'B', 2}, {2, 0, 'B', 3}, {2, 1, 'D', 3}, {-1},
};
static const struct output MEGA_OUTPUTS[] = {
    {0, 0, 'B', 7}, {0, 1, 'G', 5}, {1, 0, 'B', 5}, {1, 1, 'B', 6}, {1, 2, 'B', 7}, {2, 0, 'B', 4},
    {2, 1, 'H', 6}, {3, 0, 'E', 3}, {3, 1, 'E', 4}, {3, 2, 'E', 5}, {4, 0, 'H', 3}, {4, 1, 'H', 4},
    {4, 2, 'H', 5}, {5, 0, 'L', 3}, {5, 1, 'L', 4}, {5, 2, 'L', 5}, {-1},
};

static struct output outputs[OUTPUTS + 1];
static avr_timer_t *timers[TIMERS];
static avr_cycle_timer_t overflows;

static bool wide(int timer) { return timer != 0 && timer != 2; }

static unsigned word(int address) { return avr->data[address] | (unsigned)avr->data[address + 1] << 8; }

static int mode_of(int timer)
{
    int low = avr->data[BASES[timer]] & 3, high = avr->data[BASES[timer] + TCCRB] >> 3;
    return wide(timer) ? low | (high & 3) << 2 : low | (high & 1) << 2;
}

static uint16_t compare_at(int timer, int channel)
{
    return (uint16_t)(BASES[timer] + (wide(timer) ? 8 + 2 * channel : 3 + channel));
}

static unsigned compare(int timer, int channel)
{
    return wide(timer) ? word(compare_at(timer, channel)) : avr->data[compare_at(timer, channel)];
}

// The top of a PWM mode, and whether it counts up and down; false in a mode that makes no PWM.
static bool pwm(int timer, unsigned *top, bool *both_ways)
{
    int mode = mode_of(timer);
    if (!wide(timer)) {
        *both_ways = mode == 1 || mode == 5;
        *top = mode >= 5 ? compare(timer, 0) : 255;
        return mode == 1 || mode == 3 || mode == 5 || mode == 7;
    }
    *both_ways = mode < 5 || (mode >= 8 && mode <= 11);
    if (mode >= 1 && mode <= 7 && mode != 4)
        *top = (1u << (8 + (mode - 1) % 4)) - 1;
    else
        *top = mode & 1 ? compare(timer, 0) : word(BASES[timer] + ICR);
    return mode != 0 && mode != 4 && mode != 12 && mode != 13;
}

static int connected(const struct output *one) { return avr->data[BASES[one->timer]] >> (6 - 2 * one->channel) & 3; }

bool timer_drives(int port, int bit, int *level, double *duty)
{
    for (struct output *one = outputs; one->timer >= 0; one++) {
        if (one->port - 'A' != port || one->bit != bit || !connected(one))
            continue;
        unsigned top, at = compare(one->timer, one->channel);
        bool both_ways;
        *level = one->level;
        *duty = -1;
        if (pwm(one->timer, &top, &both_ways) && connected(one) >= 2) {
            double high = both_ways ? (top ? (double)at / top : 0) : (at + 1.0) / (top + 1.0);
            high = high > 1 ? 1 : high;
            *duty = connected(one) == 2 ? high : 1 - high;
            if (!(avr->data[BASES[one->timer] + TCCRB] & 7))
                *duty = one->level;  // its clock stands
            if (*duty == 0 || *duty == 1)
                *level = (int)*duty;
        }
        return true;
    }
    return false;
}

static void compared(avr_irq_t *irq, uint32_t value, void *param)
{
    struct output *one = param;
    one->level = value & 1;
    pins_look(one->port - 'A');
}

static avr_cycle_timer_slot_p overflow_of(avr_timer_t *timer)
{
    for (avr_cycle_timer_slot_p slot = avr->cycle_timers.timer; slot; slot = slot->next)
        if (slot->param == timer && slot->when == timer->tov_base + timer->tov_cycles)
            return slot;
    return NULL;
}

// Gives simavr the period and the pulses of a mode that it does not know. Compare values hold from the next period on,
// as in the chip; a new top holds at once.
static void mend(int number)
{
    avr_timer_t *timer = timers[number];
    int clock = avr->data[BASES[number] + TCCRB] & 7;
    unsigned top;
    bool both_ways;
    if (!pwm(number, &top, &both_ways) || !clock || (clock > 5 && number != 2) || !top)
        return;
    if (!both_ways && !(wide(number) && mode_of(number) == 14))
        return;
    uint64_t step = 1ull << timer->cs_div[clock];
    uint64_t period = step * (both_ways ? 2ull * top : top + 1ull);
    for (int i = 0; i < CHANNELS; i++) {
        unsigned at = timer->comp[i].r_ocr ? compare(number, i) : 0;
        timer->comp[i].comp_cycles = at >= top ? 0 : step * (both_ways ? 2ull * at : at + 1ull);
    }
    bool runs = overflow_of(timer);
    if (runs && period == timer->tov_cycles)
        return;
    timer->tov_top = (uint16_t)top;
    timer->tov_cycles = period;
    uint64_t passed = runs ? avr->cycle - timer->tov_base : 0;
    if (!runs) {
        timer->tov_base = 0;  // simavr's sign for a beginning
        overflows(avr, avr->cycle, timer);
    }
    avr_cycle_timer_register(avr, passed < period ? period - passed : 1, overflows, timer);
}

// simavr keeps the function to itself: a timer that is started before the board's first reset shows it.
static void find_overflows(void)
{
    uint16_t starts = BASES[0] + TCCRB;
    avr->io[AVR_DATA_TO_IO(starts)].w.c(avr, starts, 1, timers[0]);
    avr_cycle_timer_slot_p slot = overflow_of(timers[0]);
    overflows = slot ? slot->timer : NULL;
}

static void written(void *param)
{
    int number = (int)(intptr_t)param;
    mend(number);
    for (struct output *one = outputs; one->timer >= 0; one++)
        if (one->timer == number)
            pins_look(one->port - 'A');
}

void timers_after_reset(void)
{
    for (struct output *one = outputs; one->timer >= 0; one++)
        one->level = 0;
}

bool timers_begin(void)
{
    const avr_timer_wgm_t as_mode_14 = AVR_TIMER_WGM_ICPWM();
    const struct output *fitted = wiring->pins > 20 ? MEGA_OUTPUTS : UNO_OUTPUTS;
    int count = 0;
    for (; fitted->timer >= 0; fitted++)
        outputs[count++] = *fitted;
    outputs[count].timer = -1;
    for (int i = 0; i < TIMERS; i++) {
        timers[i] = (avr_timer_t *)board_module("timer", (char)('0' + i));
        if (i == 0)
            find_overflows();
        if (!timers[i])
            continue;
        for (int mode = 1; mode <= 14; mode++)
            if (wide(i) ? mode < 4 || (mode > 7 && mode < 12) || mode == 14 : mode == 1 || mode == 5)
                timers[i]->wgm_op[mode] = as_mode_14;
        for (int k = 0; k < 2; k++)
            board_after_write((uint16_t)(BASES[i] + k), written, (void *)(intptr_t)i);
        if (wide(i))
            board_after_write(timers[i]->r_icr, written, (void *)(intptr_t)i);
    }
    for (struct output *one = outputs; one->timer >= 0; one++) {
        uint32_t module = AVR_IOCTL_TIMER_GETIRQ('0' + one->timer);
        avr_irq_register_notify(avr_io_getirq(avr, module, TIMER_IRQ_OUT_COMP + one->channel), compared, one);
        board_after_write(compare_at(one->timer, one->channel), written, (void *)(intptr_t)one->timer);
    }
    if (!overflows)
        fputs("avrsim: this simavr is not 1.6: its timers work otherwise\n", stderr);
    return overflows;
}
