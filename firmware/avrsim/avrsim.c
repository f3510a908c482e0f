// avrsim: the command line, and the two clocks.
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "avrsim.h"

enum { SLICE_US = 1000, BEHIND_MOST_US = 1000000, BOOT_US = 200000 };

static volatile sig_atomic_t told_to_end;

static void end(int signal) { told_to_end = 1; }

static uint64_t wall_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void by_grants(void)
{
    while (!told_to_end && control_serve(1000))
        ;
}

static void by_the_wall(void)
{
    uint64_t began = wall_us(), ran_us = 0;
    for (;;) {
        uint64_t due_us = wall_us() - began;
        int wait_ms = due_us < ran_us + SLICE_US ? 1 : 0;
        if (!control_serve(wait_ms) || told_to_end)
            return;
        due_us = wall_us() - began;
        // A program that was stopped for long does not hurry through what it missed.
        if (due_us > ran_us + BEHIND_MOST_US) {
            control_event("late %.4f %llu", control_us(board_now()), (unsigned long long)(due_us - ran_us));
            began += due_us - ran_us;
            due_us = ran_us;
        }
        if (due_us >= ran_us + SLICE_US) {
            ran_us += SLICE_US;
            board_run_to(ran_us * CYCLES_PER_US);
            uart_say();
        }
    }
}

static int usage(void)
{
    fputs("usage: avrsim --board uno|mega --socket PATH [--eeprom FILE] [--link PATH] [--real-time]\n"
          "              [--no-reset-on-open] [--boot-us N] [--end-with-parent] SKETCH.elf\n", stderr);
    return 2;
}

int main(int count, char **words)
{
    enum { BOARD, SOCKET, EEPROM, LINK, REAL_TIME, NO_RESET, BOOT, WITH_PARENT };
    static const struct option options[] = {
        {"board", required_argument, NULL, BOARD},     {"socket", required_argument, NULL, SOCKET},
        {"eeprom", required_argument, NULL, EEPROM},   {"link", required_argument, NULL, LINK},
        {"real-time", no_argument, NULL, REAL_TIME},   {"no-reset-on-open", no_argument, NULL, NO_RESET},
        {"boot-us", required_argument, NULL, BOOT},    {"end-with-parent", no_argument, NULL, WITH_PARENT},
        {NULL, 0, NULL, 0},
    };
    const char *board = NULL, *path = NULL, *eeprom = NULL, *link = NULL;
    bool real_time = false, reset_on_open = true;
    unsigned long boot_us = BOOT_US;
    for (int option; (option = getopt_long(count, words, "", options, NULL)) != -1;) {
        switch (option) {
        case BOARD: board = optarg; break;
        case SOCKET: path = optarg; break;
        case EEPROM: eeprom = optarg; break;
        case LINK: link = optarg; break;
        case REAL_TIME: real_time = true; break;
        case NO_RESET: reset_on_open = false; break;
        case BOOT: boot_us = strtoul(optarg, NULL, 10); break;
        case WITH_PARENT: prctl(PR_SET_PDEATHSIG, SIGKILL); break;
        default: return usage();
        }
    }
    if (!board || !path || optind != count - 1 || boot_us > 60000000)
        return usage();

    struct sigaction ends = {.sa_handler = end};
    sigaction(SIGTERM, &ends, NULL);
    sigaction(SIGINT, &ends, NULL);
    if (!board_load(board, words[optind], eeprom, (uint32_t)boot_us))
        return 1;
    bool began = uart_begin(link, reset_on_open) && control_begin(path, real_time);
    if (began) {
        board_reset(POWER);
        printf("ready %s\n", path);
        fflush(stdout);
        if (real_time)
            by_the_wall();
        else
            by_grants();
        control_end();
    }
    uart_end();
    return began ? 0 : 1;
}
