// The serial port: bytes at the pace of the line, and a pty in place of the USB cable.
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <avr_uart.h>
#include <sim_io.h>
#include <sim_regbit.h>

#include "avrsim.h"

enum { QUEUE = 4096, HELD = 1 << 16, DEFAULT_BYTE = 1389, RECEIVER_HOLDS = 3 };

struct sent {
    uint64_t ends;
    uint8_t byte;
};

static avr_uart_t *uart;
static int master = -1;
static bool resets, open_now, reports, feeding;
static const char *link_path;

static uint8_t line[QUEUE];  // from the host, on their way to the chip
static size_t line_from, line_count;
static uint64_t line_free_at;

static struct sent sending[QUEUE];  // from the chip, not yet whole
static size_t sending_from, sending_count;
static uint64_t sent_ends;

static uint8_t out[HELD];  // whole, for the host
static size_t out_from, out_count;

static avr_cycle_timer_t ready_again;  // simavr's own, that lets the sketch write the next byte

static uint64_t from_host, to_host, overrun, unheard, unread;

int uart_master(void) { return master; }
bool uart_opened(void) { return open_now; }
uint64_t uart_read_from_host(void) { return from_host; }
uint64_t uart_written_to_host(void) { return to_host; }
void uart_report(bool on) { reports = on; }

const char *uart_stand(void)
{
    static char text[160];
    snprintf(text, sizeof text, "overrun=%llu unheard=%llu unread=%llu from_host=%llu to_host=%llu",
             (unsigned long long)overrun, (unsigned long long)unheard, (unsigned long long)unread,
             (unsigned long long)from_host, (unsigned long long)to_host);
    return text;
}

// simavr counts a parity bit that is not sent, and each byte lasts a tenth too long.
static void set_pace(void *param)
{
    if (!avr->data[uart->r_ucsrb])
        return;
    unsigned divisor = avr->data[uart->ubrrl.reg] | (avr->data[uart->ubrrh.reg] & 0xfu) << 8;
    unsigned size = avr_regbit_get(avr, uart->ucsz) | avr_regbit_get(avr, uart->ucsz2) << 2;
    bool parity = avr->data[uart->r_ucsrc] & 0x20;
    unsigned bits = 1 + (size == 7 ? 9 : 5 + (size & 3)) + parity + 1 + (avr_regbit_get(avr, uart->usbs) ? 1 : 0);
    uart->cycles_per_byte = (divisor + 1) * (avr_regbit_get(avr, uart->u2x) ? 8 : 16) * bits;
}

static uint64_t byte_lasts(void) { return avr->data[uart->r_ucsrb] ? uart->cycles_per_byte : DEFAULT_BYTE; }

static unsigned unread_in_chip(void)
{
    return (unsigned)(uart->input.write - uart->input.read) % (sizeof uart->input.buffer / sizeof *uart->input.buffer);
}

// A byte begins on the line. The chip holds two that have not been read and one that is coming in: a fourth is lost.
static void begin_byte(uint8_t byte)
{
    if (!avr_regbit_get(avr, uart->rxen))
        unheard++;
    else if (unread_in_chip() >= RECEIVER_HOLDS)
        overrun++;
    else
        avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT), byte);
}

static avr_cycle_count_t feed(avr_t *on, avr_cycle_count_t when, void *param)
{
    if (!line_count) {
        feeding = false;
        return 0;
    }
    begin_byte(line[line_from]);
    line_from = (line_from + 1) % QUEUE;
    line_count--;
    line_free_at = board_now() + byte_lasts();
    return when + byte_lasts();
}

static void start_feeding(void)
{
    uint64_t now = board_now();
    if (feeding || !line_count || !board_runs())
        return;
    feeding = true;
    avr_cycle_timer_register(avr, line_free_at > now ? line_free_at - now : 1, feed, NULL);
}

static void take(const uint8_t *bytes, size_t count)
{
    if (line_free_at < board_now())
        line_free_at = board_now();
    for (size_t i = 0; i < count && line_count < QUEUE; i++)
        line[(line_from + line_count++) % QUEUE] = bytes[i];
}

void uart_send(const uint8_t *bytes, size_t count)
{
    take(bytes, count);
    start_feeding();
}

// What came while no sketch ran is lost, at the pace of the line.
static void lose_unheard(void)
{
    uint64_t now = board_now();
    while (line_count && line_free_at + DEFAULT_BYTE <= now) {
        line_from = (line_from + 1) % QUEUE;
        line_count--;
        unheard++;
        line_free_at += DEFAULT_BYTE;
    }
}

// The chip takes the next byte while it still sends one; simavr only after it, and falls behind a line without gaps.
static void byte_sent(avr_irq_t *irq, uint32_t value, void *param)
{
    uint64_t now = board_now(), begins = sent_ends > now ? sent_ends : now;
    uint64_t bit = uart->cycles_per_byte / 10;
    avr_cycle_timer_register(avr, begins > now + bit ? begins - now : bit, ready_again, uart);
    sent_ends = begins + uart->cycles_per_byte;
    if (sending_count < QUEUE)
        sending[(sending_from + sending_count++) % QUEUE] = (struct sent){sent_ends, (uint8_t)value};
}

static void to_pty(void)
{
    while (out_count) {
        size_t part = out_from + out_count > HELD ? HELD - out_from : out_count;
        ssize_t gone = write(master, out + out_from, part);
        if (gone <= 0)
            return;
        out_from = (out_from + (size_t)gone) % HELD;
        out_count -= (size_t)gone;
    }
}

void uart_say(void)
{
    uint64_t now = board_now();
    char hex[2 * 64 + 1];
    size_t said = 0;
    uint64_t began = 0;
    if (!board_runs())
        lose_unheard();
    while (sending_count && sending[sending_from].ends <= now) {
        struct sent *one = &sending[sending_from];
        sending_from = (sending_from + 1) % QUEUE;
        sending_count--;
        if (open_now && out_count < HELD) {
            out[(out_from + out_count++) % HELD] = one->byte;
            to_host++;
        } else {
            unread++;
        }
        if (!reports)
            continue;
        if (!said)
            began = one->ends;
        said += (size_t)sprintf(hex + said, "%02x", one->byte);
        bool gap = sending_count && sending[sending_from].ends > one->ends + uart->cycles_per_byte;
        if (said == sizeof hex - 1 || gap || !sending_count || sending[sending_from].ends > now) {
            control_event("uart %.4f %s", control_us(began), hex);
            said = 0;
        }
    }
    to_pty();
}

void uart_sketch_begins(void)
{
    lose_unheard();
    start_feeding();
}

void uart_after_reset(void)
{
    sending_count = 0;  // what the chip was sending is cut short
    sent_ends = 0;
    feeding = false;
    uart->cycles_per_byte = DEFAULT_BYTE;
    if (board_runs())
        uart_sketch_begins();
}

bool uart_look(void)
{
    struct pollfd at = {.fd = master, .events = POLLIN};
    poll(&at, 1, 0);
    bool opened = !(at.revents & POLLHUP);
    if (opened != open_now) {
        open_now = opened;
        out_count = 0;
        control_event("%s %.4f", opened ? "opened" : "closed", control_us(board_now()));
        if (opened && resets)
            board_reset(EXTERNAL);
    }
    to_pty();
    while (at.revents & POLLIN && line_count < QUEUE) {
        uint8_t some[QUEUE];
        ssize_t count = read(master, some, QUEUE - line_count);
        if (count <= 0)
            break;
        take(some, (size_t)count);
        from_host += (uint64_t)count;
    }
    start_feeding();
    return open_now;
}

// simavr keeps the function to itself: a byte sent before the board's first reset shows it.
static void find_ready_again(void)
{
    avr_regbit_set(avr, uart->txen);
    avr->io[AVR_DATA_TO_IO(uart->r_udr)].w.c(avr, uart->r_udr, 0, uart);
    for (avr_cycle_timer_slot_p slot = avr->cycle_timers.timer; slot; slot = slot->next)
        if (slot->param == uart)
            ready_again = slot->timer;
}

bool uart_begin(const char *link, bool reset_on_open)
{
    uart = (avr_uart_t *)board_module("uart", '0');
    resets = reset_on_open;
    uint32_t quiet = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &quiet);
    find_ready_again();
    if (!ready_again) {
        fputs("avrsim: this simavr is not 1.6: its serial port works otherwise\n", stderr);
        return false;
    }
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), byte_sent, NULL);
    board_after_write(uart->ubrrl.reg, set_pace, NULL);
    board_after_write(uart->r_ucsra, set_pace, NULL);
    board_after_write(uart->r_ucsrb, set_pace, NULL);
    board_after_write(uart->r_ucsrc, set_pace, NULL);
    uart->cycles_per_byte = DEFAULT_BYTE;

    struct termios raw;
    const char *name = NULL;
    master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (master >= 0 && !grantpt(master) && !unlockpt(master) && !tcgetattr(master, &raw)) {
        cfmakeraw(&raw);
        name = tcsetattr(master, TCSANOW, &raw) ? NULL : ptsname(master);
    }
    // A pty shows that nobody has it open only after it was open once.
    int slave = name ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
    if (slave < 0) {
        fprintf(stderr, "avrsim: no pty: %s\n", strerror(errno));
        return false;
    }
    close(slave);
    if (link) {
        unlink(link);
        if (symlink(name, link)) {
            fprintf(stderr, "avrsim: %s: %s\n", link, strerror(errno));
            return false;
        }
        link_path = link;
    }
    printf("pty %s\n", name);
    return true;
}

void uart_end(void)
{
    if (link_path)
        unlink(link_path);
}
