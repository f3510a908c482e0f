// The EEPROM, and how long it takes to write a byte.
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <avr_eeprom.h>
#include <sim_io.h>
#include <sim_regbit.h>

#include "avrsim.h"

enum { WRITE_US = 3400 };

static avr_eeprom_t *module;

const uint8_t *eeprom_bytes(size_t *size)
{
    *size = module->size;
    return module->eeprom;
}

static avr_cycle_count_t written(avr_t *on, avr_cycle_count_t when, void *param)
{
    avr_regbit_clear(avr, module->eepe);
    return 0;
}

// simavr stores a byte at once and is ready for the next: a sketch that stores many would seem to have the time to
// listen to its serial port meanwhile. That a write has begun shows by its timer.
static void command_written(void *param)
{
    uint64_t ends = avr->cycle + WRITE_US * CYCLES_PER_US;
    for (avr_cycle_timer_slot_p slot = avr->cycle_timers.timer; slot; slot = slot->next) {
        if (slot->param == module && slot->timer != written && slot->when == ends) {
            avr_regbit_set(avr, module->eepe);
            avr_cycle_timer_register(avr, WRITE_US * CYCLES_PER_US, written, module);
            return;
        }
    }
}

// It lies in the file itself: what the sketch has written is kept, however this program ends.
static bool map(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct stat is;
    if (file < 0 || fstat(file, &is)) {
        fprintf(stderr, "avrsim: %s: %s\n", path, strerror(errno));
        return false;
    }
    bool fresh = is.st_size == 0;
    if (!fresh && is.st_size != module->size) {
        fprintf(stderr, "avrsim: %s has %lld bytes, and the EEPROM of a %s has %d; give it another file\n", path,
                (long long)is.st_size, wiring->name, module->size);
        close(file);
        return false;
    }
    void *there = MAP_FAILED;
    if (!ftruncate(file, module->size))
        there = mmap(NULL, module->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (there == MAP_FAILED) {
        fprintf(stderr, "avrsim: %s: %s\n", path, strerror(errno));
        return false;
    }
    if (fresh)
        memcpy(there, module->eeprom, module->size);
    module->eeprom = there;
    return true;
}

bool eeprom_begin(const char *path)
{
    module = (avr_eeprom_t *)board_module("eeprom", 0);
    board_after_write(module->r_eecr, command_written, NULL);
    return !path || map(path);
}
