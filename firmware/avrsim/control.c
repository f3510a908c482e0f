// The control socket: a line a command, each answered by one line that begins with "ok" or "no"; events begin with "!".
// Copyright (c) 2026 The pointsman authors. SPDX-License-Identifier: GPL-3.0-or-later
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "avrsim.h"

enum { LONGEST = 4096, UNREAD_MOST = 64 << 20, HOST_BYTES_WITHIN_MS = 5000, LOOK_EVERY_MS = 2 };

static int listener = -1, client = -1;
static const char *socket_path;
static bool by_the_wall, ending, too_long;
static char in[LONGEST];
static size_t in_count;
static char *out;  // what the client has not read yet: the board never waits for it
static size_t out_count, out_room;
static uint64_t granted;

double control_us(uint64_t cycle) { return (double)cycle / CYCLES_PER_US; }

static void drop_client(void)
{
    close(client);
    client = -1;
    in_count = out_count = 0;
}

static void push(void)
{
    size_t gone = 0;
    while (client >= 0 && gone < out_count) {
        ssize_t part = send(client, out + gone, out_count - gone, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (part < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (part < 0) {
            drop_client();
            return;
        }
        gone += (size_t)part;
    }
    if (gone)
        memmove(out, out + gone, out_count - gone);
    out_count -= gone;
}

static void say(char mark, const char *format, va_list args)
{
    char text[LONGEST + 64];
    if (client < 0)
        return;
    int length = vsnprintf(text, sizeof text, format, args);
    size_t want = out_count + (size_t)length + 2;
    if (want > UNREAD_MOST) {
        fprintf(stderr, "avrsim: the client does not read: it is let go\n");
        drop_client();
        return;
    }
    if (want > out_room) {
        out_room = 2 * want + 65536;
        out = realloc(out, out_room);
        if (!out)
            abort();
    }
    if (mark)
        out[out_count++] = mark;
    memcpy(out + out_count, text, (size_t)length);
    out_count += (size_t)length;
    out[out_count++] = '\n';
}

void control_event(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say('!', format, args);
    va_end(args);
}

__attribute__((format(printf, 1, 2))) static void answer(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(0, format, args);
    va_end(args);
}

// The client says how many bytes the host has written in all, since a pty hands them over when it likes: so the same
// bytes reach the board at the same moment in each run.
static bool host_bytes_are_here(uint64_t wanted)
{
    for (int waited = 0; uart_look(), uart_read_from_host() < wanted; waited++) {
        struct pollfd at = {.fd = uart_master(), .events = POLLIN};
        if (waited > HOST_BYTES_WITHIN_MS || !uart_opened() || poll(&at, 1, 1) < 0)
            return false;
    }
    return true;
}

static void run(const char *rest)
{
    char *end;
    double us = strtod(rest, &end);
    if (end == rest || !(us > 0) || us > 1e9) {
        answer("no a time from above 0 to 1e9 us is wanted");
        return;
    }
    if (by_the_wall) {
        answer("no the board runs by the wall clock");
        return;
    }
    if (!host_bytes_are_here(strtoull(end, NULL, 10))) {
        answer("no the host has not written so many bytes: there are %llu", (unsigned long long)uart_read_from_host());
        return;
    }
    granted += (uint64_t)(us * CYCLES_PER_US + 0.5);
    board_run_to(granted);
    uart_say();
    answer("ok %.4f %llu", control_us(granted), (unsigned long long)uart_written_to_host());
}

static void send_hex(const char *hex)
{
    uint8_t bytes[LONGEST / 2];
    size_t count = 0;
    unsigned byte;
    for (; sscanf(hex, "%2x", &byte) == 1 && hex[0] && hex[1]; hex += 2)
        bytes[count++] = (uint8_t)byte;
    if (*hex || !count) {
        answer("no pairs of hexadecimal digits are wanted");
        return;
    }
    uart_send(bytes, count);
    answer("ok %zu", count);
}

static void dump_eeprom(const char *rest)
{
    unsigned from, count;
    size_t size;
    const uint8_t *bytes = eeprom_bytes(&size);
    if (sscanf(rest, "%u %u", &from, &count) != 2 || from > size || count > size - from || 2 * count > LONGEST - 8) {
        answer("no the EEPROM has %zu bytes; at most %d at once", size, (LONGEST - 8) / 2);
        return;
    }
    char hex[LONGEST];
    for (unsigned i = 0; i < count; i++)
        sprintf(hex + 2 * i, "%02x", bytes[from + i]);
    hex[2 * count] = 0;
    answer("ok %s", hex);
}

static void pin_command(const char *verb, const char *word, const char *value)
{
    int pin = pin_of(word);
    double width_us, period_us;
    uint64_t count;
    if (pin < 0)
        answer("no pin %s on a %s", word, wiring->name);
    else if (!strcmp(verb, "pin"))
        answer("ok %c", pin_level(pin));
    else if (!strcmp(verb, "duty"))
        answer("ok %.6f", pin_duty(pin));
    else if (!strcmp(verb, "pulse") && pin_pulse(pin, &width_us, &period_us, &count))
        answer("ok %.4f %.4f %llu", width_us, period_us, (unsigned long long)count);
    else if (!strcmp(verb, "pulse"))
        answer("ok none");
    else if (!strcmp(verb, "watch")) {
        int what = (strstr(value, "edges") ? WATCH_EDGES : 0) | (strstr(value, "duty") ? WATCH_DUTY : 0) |
                   (strstr(value, "pulses") ? WATCH_PULSES : 0);
        pin_watch(pin, what);
        answer("ok %c", pin_level(pin));
    } else if (strlen(value) == 1 && strchr("01z", *value)) {
        pin_drive(pin, *value);
        answer("ok");
    } else {
        answer("no 0, 1 or z is wanted");
    }
}

static void set_analog(const char *word, const char *value)
{
    int pin = toupper((unsigned char)word[0]) == 'A' ? pin_of(word) : -1;
    char *end;
    unsigned long mv = strtoul(value, &end, 10);
    if (pin < 0 || end == value || mv > 5000)
        answer("no an analog pin from A0 and 0 to 5000 mV are wanted");
    else if (!pin_analog(pin - wiring->first_analog, (uint32_t)mv))
        answer("no simavr has only the first eight analog pins");
    else
        answer("ok");
}

static bool is_pin_verb(const char *verb)
{
    static const char *const verbs[] = {"pin", "duty", "pulse", "watch", "set"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(verb, verbs[i]))
            return true;
    return false;
}

static void obey(const char *command)
{
    char verb[16] = "", word[16] = "", value[64] = "";
    int after = 0;
    if (sscanf(command, "%15s %n", verb, &after) < 1) {
        answer("no command");
        return;
    }
    const char *rest = command + after;
    sscanf(rest, "%15s %63[^\n]", word, value);
    if (!strcmp(verb, "run"))
        run(rest);
    else if (!strcmp(verb, "send"))
        send_hex(rest);
    else if (is_pin_verb(verb))
        pin_command(verb, word, value);
    else if (!strcmp(verb, "analog"))
        set_analog(word, value);
    else if (!strcmp(verb, "eeprom"))
        dump_eeprom(rest);
    else if (!strcmp(verb, "uart") && (!strcmp(word, "on") || !strcmp(word, "off"))) {
        uart_report(!strcmp(word, "on"));
        answer("ok");
    } else if (!strcmp(verb, "reset") || !strcmp(verb, "brown-out")) {
        board_reset(*verb == 'r' ? EXTERNAL : BROWN_OUT);
        answer("ok");
    } else if (!strcmp(verb, "hang")) {
        answer(board_hang() ? "ok" : "no nothing runs that could hang");
    } else if (!strcmp(verb, "power") && (!strcmp(word, "on") || !strcmp(word, "off"))) {
        board_power(!strcmp(word, "on"));
        answer("ok");
    } else if (!strcmp(verb, "stand"))
        answer("ok now=%.4f open=%d %s", control_us(board_now()), uart_opened(), uart_stand());
    else if (!strcmp(verb, "quit")) {
        ending = true;
        answer("ok");
    } else
        answer("no such command: %.40s", command);
}

static void read_client(void)
{
    ssize_t count = recv(client, in + in_count, sizeof in - in_count, MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
        drop_client();
        return;
    }
    in_count += count > 0 ? (size_t)count : 0;
    char *end;
    while (client >= 0 && (end = memchr(in, '\n', in_count))) {
        char command[LONGEST];
        size_t length = (size_t)(end - in);
        memcpy(command, in, length);
        command[length] = 0;
        in_count -= length + 1;
        memmove(in, end + 1, in_count);
        if (too_long)
            answer("no the line is too long");
        else
            obey(command);
        too_long = false;
    }
    if (in_count == sizeof in) {
        in_count = 0;
        too_long = true;
    }
}

bool control_serve(int timeout_ms)
{
    // While nobody has the pty open it says so all the time, and cannot be waited for.
    struct pollfd at[] = {{.fd = client >= 0 ? client : listener, .events = POLLIN},
                          {.fd = uart_opened() ? uart_master() : -1, .events = by_the_wall ? POLLIN : 0}};
    push();
    if (client >= 0 && out_count)
        at[0].events |= POLLOUT;
    int wait_ms = uart_opened() || timeout_ms < LOOK_EVERY_MS ? timeout_ms : LOOK_EVERY_MS;
    poll(at, 2, wait_ms);
    uart_look();
    if (client < 0) {
        client = accept(listener, NULL, NULL);
        if (client >= 0)
            answer("ok %s %s", wiring->name, by_the_wall ? "real-time" : "lockstep");
    } else if (at[0].revents & (POLLIN | POLLHUP | POLLERR)) {
        read_client();
    }
    push();
    return !ending;
}

bool control_begin(const char *path, bool real_time)
{
    struct sockaddr_un where = {.sun_family = AF_UNIX};
    by_the_wall = real_time;
    if (strlen(path) >= sizeof where.sun_path) {
        fprintf(stderr, "avrsim: %s: too long a path for a socket (%zu at most)\n", path, sizeof where.sun_path - 1);
        return false;
    }
    strcpy(where.sun_path, path);
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&where, sizeof where) || listen(listener, 1)) {
        fprintf(stderr, "avrsim: %s: %s\n", path, strerror(errno));
        return false;
    }
    socket_path = path;
    return true;
}

void control_end(void)
{
    if (socket_path)
        unlink(socket_path);
}
