// The board: its memory, its resets, its clock.
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <avr_extint.h>
#include <sim_elf.h>
#include <sim_io.h>

#include "avrsim.h"

enum { MCUSR = 0x54, REGISTERS_HELD = 280, SUPPLY_MV = 5000, SLICE = 16000 };

static const struct wiring BOARDS[] = {
    {"uno", "atmega328p", 20, 14, 6, "D0D1D2D3D4D5D6D7B0B1B2B3B4B5C0C1C2C3C4C5"},
    {"mega", "atmega2560", 70, 54, 16,
     "E0E1E4E5G5E3H3H4H5H6B4B5B6B7J1J0H1H0D3D2D1D0A0A1A2A3A4A5A6A7C7C6C5C4C3"
     "C2C1C0D7G2G1G0L7L6L5L4L3L2L1L0B3B2B1B0F0F1F2F3F4F5F6F7K0K1K2K3K4K5K6K7"},
};
static const char *const CAUSES[] = {"power", "external", "brown-out", "watchdog"};

struct after {
    avr_io_write_t first;
    void *first_param;
    after_write then;
    void *param;
};

avr_t *avr;
const struct wiring *wiring;

static struct after afters[REGISTERS_HELD];
static avr_run_t usual_run;
static uint64_t begins_at;      // the boot loader has the board until then
static uint64_t boot_cycles;
static bool powered = true, stands, hangs;
static avr_flashaddr_t hangs_at;
static uint8_t overwritten[2];

// simavr counts on over a reset.
uint64_t board_now(void) { return avr->cycle; }

bool board_powered(void) { return powered; }

bool board_runs(void) { return powered && !stands && board_now() >= begins_at; }

avr_io_t *board_module(const char *kind, char name)
{
    for (avr_io_t *one = avr->io_port; one; one = one->next) {
        // The name follows the common part in every module of which there are several.
        if (!strcmp(one->kind, kind) && (!name || ((const char *)one)[sizeof *one] == name))
            return one;
    }
    return NULL;
}

static void write_and_then(avr_t *on, avr_io_addr_t address, uint8_t value, void *param)
{
    struct after *slot = param;
    if (slot->first)
        slot->first(on, address, value, slot->first_param);
    else
        on->data[address] = value;
    slot->then(slot->param);
}

void board_after_write(uint16_t address, after_write then, void *param)
{
    int io = AVR_DATA_TO_IO(address);
    afters[io] = (struct after){avr->io[io].w.c, avr->io[io].w.param, then, param};
    avr->io[io].w.c = write_and_then;
    avr->io[io].w.param = &afters[io];
}

static void log_to_stderr(avr_t *on, const int level, const char *format, va_list args)
{
    if (level <= LOG_ERROR)
        vfprintf(stderr, format, args);
}

// Time passes while the board sleeps, and this program does not wait for it: who grants the time sees to the pace.
static void no_sleep(avr_t *on, avr_cycle_count_t cycles) {}

static avr_cycle_count_t slice_ends(avr_t *on, avr_cycle_count_t when, void *param) { return 0; }

// The program stands at its next instruction, as in an endless loop; interrupts still come. Not inside of one of them:
// there they are off, and after a while it does not matter where.
bool board_hang(void)
{
    static const uint8_t TO_ITSELF[2] = {0xff, 0xcf};  // rjmp .-2
    if (!board_runs() || hangs)
        return false;
    avr->run_cycle_limit = 1;
    for (int i = 0; i < SLICE && !avr->sreg[S_I]; i++)
        avr_run(avr);
    avr->run_cycle_limit = SLICE;
    avr->state = cpu_Running;
    hangs = true;
    hangs_at = avr->pc;
    memcpy(overwritten, avr->flash + hangs_at, sizeof overwritten);
    memcpy(avr->flash + hangs_at, TO_ITSELF, sizeof TO_ITSELF);
    return true;
}

static void after_reset(enum cause why, uint8_t flags)
{
    if (hangs)
        memcpy(avr->flash + hangs_at, overwritten, sizeof overwritten);
    hangs = false;
    avr->state = cpu_Running;
    stands = false;
    avr->run_cycle_limit = SLICE;  // many instructions at once: simavr stops at each timer and interrupt
    avr->data[MCUSR] |= why == POWER ? 1 << POWER : flags | 1 << why;
    // A low pin would be looked at in every cycle, and the board be slower than a real one.
    for (int i = 0; i < EXTINT_COUNT; i++)
        avr_extint_set_strict_lvl_trig(avr, i, 0);
    timers_after_reset();
    pins_after_reset();
    uart_after_reset();
    control_event("reset %.4f %s", control_us(board_now()), CAUSES[why]);
}

void board_reset(enum cause why)
{
    if (!powered)
        return;
    uint8_t flags = avr->data[MCUSR];
    uint64_t now = board_now();
    avr->run = usual_run;  // a watchdog that was about to reset it comes too late
    avr_reset(avr);
    begins_at = why == EXTERNAL ? now + boot_cycles : now;
    after_reset(why, flags);
}

void board_power(bool on)
{
    if (on == powered)
        return;
    if (on) {
        powered = true;
        board_reset(POWER);
        return;
    }
    board_reset(BROWN_OUT);  // every pin floats
    for (int i = avr->ioend + 1; i <= avr->ramend; i++)
        avr->data[i] = 0xa5;  // nothing may rely on what the memory holds at power-on
    powered = false;
    control_event("power %.4f off", control_us(board_now()));
}

static void skip_to(uint64_t cycle) { avr->cycle += cycle - board_now(); }

void board_run_to(uint64_t cycle)
{
    bool bounded = false;
    while (board_now() < cycle) {
        uint64_t now = board_now();
        if (!powered || stands) {
            skip_to(cycle);
            return;
        }
        if (now < begins_at) {
            skip_to(begins_at < cycle ? begins_at : cycle);
            if (board_runs())
                uart_sketch_begins();
            continue;
        }
        if (!bounded) {
            avr_cycle_timer_register(avr, cycle - now, slice_ends, NULL);
            bounded = true;
        }
        int state = avr_run(avr);
        if (avr->run != usual_run) {  // the watchdog has put its own reset in place of the next instruction
            uint8_t flags = avr->data[MCUSR];
            avr_run(avr);
            after_reset(WATCHDOG, flags);
            bounded = false;
        } else if (state == cpu_Done || state == cpu_Crashed) {
            stands = true;
            control_event("stands %.4f %s", control_us(board_now()),
                          state == cpu_Done ? "asleep with interrupts off" : "crashed");
        }
    }
}

bool board_load(const char *board, const char *elf, const char *eeprom, uint32_t boot_us)
{
    for (size_t i = 0; i < sizeof BOARDS / sizeof *BOARDS; i++)
        if (!strcmp(BOARDS[i].name, board))
            wiring = &BOARDS[i];
    if (!wiring) {
        fprintf(stderr, "avrsim: no board %s: there are uno and mega\n", board);
        return false;
    }
    avr_global_logger_set(log_to_stderr);
    elf_firmware_t sketch = {0};
    if (access(elf, R_OK) || elf_read_firmware(elf, &sketch) || !sketch.flash) {
        fprintf(stderr, "avrsim: %s: no sketch there that can be read (an ELF file is wanted)\n", elf);
        return false;
    }
    avr = avr_make_mcu_by_name(wiring->mcu);
    if (!avr) {
        fprintf(stderr, "avrsim: this simavr knows no %s\n", wiring->mcu);
        return false;
    }
    avr_init(avr);
    if (sketch.flashbase + sketch.flashsize > avr->flashend + 1) {
        fprintf(stderr, "avrsim: %s has %u bytes, and the flash of a %s has %u\n", elf, sketch.flashsize, wiring->name,
                avr->flashend + 1);
        return false;
    }
    avr_load_firmware(avr, &sketch);
    avr->frequency = CYCLES_PER_US * 1000000;
    avr->vcc = avr->avcc = avr->aref = SUPPLY_MV;
    avr->log = LOG_ERROR;
    avr->sleep = no_sleep;
    usual_run = avr->run;
    boot_cycles = (uint64_t)boot_us * CYCLES_PER_US;
    if (!eeprom_begin(eeprom))
        return false;
    pins_begin();
    return timers_begin();
}
