// Names, codes and limits of the node protocol: written by firmware/generate.py from firmware/protocol.toml.
#pragma once

#include <stdint.h>

#include "flash.h"

namespace node {

constexpr uint8_t VERSION = 1;
constexpr uint32_t BAUD = 115200;
constexpr uint32_t LONGEST = 60;
constexpr uint32_t STOP_BYTE = 24;
constexpr uint32_t LAST_NUMBER = 9999;
constexpr uint32_t LAST_COUNT = 99;
constexpr uint32_t ALIVE_MS = 500;
constexpr uint16_t FIRST_MOVE_MS = 500;
constexpr uint16_t CUT_MS = 250;
constexpr uint16_t WATCHDOG_MS = 250;
constexpr uint16_t TRIP_MS = 50;

// What a host may tell a node.
enum class Verb : uint8_t { hello, state, beat, arm, off_, turnout, magnet, drive, get, set, store, defaults, trip };
constexpr uint8_t VERBS = 13;
static const char VERB_NAMES[][9] IN_FLASH = { "hello", "state", "beat", "arm", "off", "turnout", "magnet", "drive", "get", "set", "store", "defaults", "trip" };

// What a node tells by itself.
enum class Event : uint8_t { hello, turnout, beam, magnet, drive, latch, settings, alive, end };
constexpr uint8_t EVENTS = 9;
static const char EVENT_NAMES[][9] IN_FLASH = { "hello", "turnout", "beam", "magnet", "drive", "latch", "settings", "alive", "end" };

// What can be set at a node.
enum class Setting : uint8_t { heartbeat_ms, magnet_ms, magnet_rest_ms, solenoid_ms, solenoid_rest_ms, servo_ms_per_100_us, servo_hold_ms, beam_on_ms, beam_off_ms, dc_lowest, dc_steps_per_100_ms, watchdog, closed_us, thrown_us, machine, beam_inverted };
constexpr uint8_t SETTINGS = 16;

// Why a node does not carry out a command.
enum class Refusal : uint8_t { crc, long_, form, verb, number, range, absent, latched, moving, resting, unwatched, version, duty, memory };
constexpr uint8_t REFUSALS = 14;
static const char REFUSAL_NAMES[][10] IN_FLASH = { "crc", "long", "form", "verb", "number", "range", "absent", "latched", "moving", "resting", "unwatched", "version", "duty", "memory" };

// Why a node keeps everything stopped.
enum class Latch : uint8_t { none, boot, heartbeat, stop, host, hang, version };
constexpr uint8_t LATCHES = 7;
static const char LATCH_NAMES[][10] IN_FLASH = { "none", "boot", "heartbeat", "stop", "host", "hang", "version" };

// Why a node has started.
enum class Reset : uint8_t { power, button, brownout, watchdog, unknown };
constexpr uint8_t RESETS = 5;
static const char RESET_NAMES[][9] IN_FLASH = { "power", "button", "brownout", "watchdog", "unknown" };

// What board a node is.
enum class Board : uint8_t { uno, mega };
constexpr uint8_t BOARDS = 2;
static const char BOARD_NAMES[][5] IN_FLASH = { "uno", "mega" };

// How points lie, as far as a node knows.
enum class Lie : uint8_t { closed, thrown, moving, unknown };
constexpr uint8_t LIES = 4;
static const char LIE_NAMES[][8] IN_FLASH = { "closed", "thrown", "moving", "unknown" };

// What moves the points of a turnout.
enum class Machine : uint8_t { none, servo, solenoid };
constexpr uint8_t MACHINES = 3;

// Where a node's settings come from.
enum class SettingsState : uint8_t { stored, defaults };
constexpr uint8_t SETTINGS_STATES = 2;
static const char SETTINGS_STATE_NAMES[][9] IN_FLASH = { "stored", "defaults" };

// Lowest and highest of an argument.
struct Limits { uint16_t lowest; uint16_t highest; };
enum class Argument : uint8_t { nothing, version, turnout, leg, magnet, on_ms, direction, step, setting, of, value };
static const Limits ARGUMENT_LIMITS[] IN_FLASH = { { 0, 0 }, { 1, 255 }, { 1, 8 }, { 0, 1 }, { 1, 16 }, { 0, 2000 }, { 0, 1 }, { 0, 126 }, { 0, 15 }, { 0, 16 }, { 0, 30000 } };
constexpr uint16_t HIGHEST_VERSION = 255;
constexpr uint16_t HIGHEST_TURNOUT = 8;
constexpr uint16_t HIGHEST_LEG = 1;
constexpr uint16_t HIGHEST_MAGNET = 16;
constexpr uint16_t HIGHEST_ON_MS = 2000;
constexpr uint16_t HIGHEST_DIRECTION = 1;
constexpr uint16_t HIGHEST_STEP = 126;
constexpr uint16_t HIGHEST_SETTING = 15;
constexpr uint16_t HIGHEST_OF = 16;
constexpr uint16_t HIGHEST_VALUE = 30000;

constexpr uint8_t MOST_ARGUMENTS = 3;
static const Argument VERB_ARGUMENTS[][MOST_ARGUMENTS] IN_FLASH = {
  { Argument::version, Argument::nothing, Argument::nothing },
  { Argument::nothing, Argument::nothing, Argument::nothing },
  { Argument::nothing, Argument::nothing, Argument::nothing },
  { Argument::nothing, Argument::nothing, Argument::nothing },
  { Argument::nothing, Argument::nothing, Argument::nothing },
  { Argument::turnout, Argument::leg, Argument::nothing },
  { Argument::magnet, Argument::on_ms, Argument::nothing },
  { Argument::direction, Argument::step, Argument::nothing },
  { Argument::setting, Argument::of, Argument::nothing },
  { Argument::setting, Argument::of, Argument::value },
  { Argument::nothing, Argument::nothing, Argument::nothing },
  { Argument::nothing, Argument::nothing, Argument::nothing },
  { Argument::nothing, Argument::nothing, Argument::nothing },
};

enum class Of : uint8_t { node, turnout, beam };
struct SettingLimits { uint16_t lowest; uint16_t highest; uint16_t usual; Of of; };
constexpr uint8_t SETTINGS_OF_NODE = 12;
constexpr uint8_t SETTINGS_OF_TURNOUT = 3;
constexpr uint8_t SETTINGS_OF_BEAM = 1;
static const SettingLimits SETTING_LIMITS[] IN_FLASH = {
  { 300, 3000, 1000, Of::node },
  { 20, 2000, 500, Of::node },
  { 500, 10000, 2000, Of::node },
  { 10, 250, 60, Of::node },
  { 200, 5000, 500, Of::node },
  { 20, 1000, 100, Of::node },
  { 0, 5000, 500, Of::node },
  { 0, 50, 5, Of::node },
  { 0, 100, 15, Of::node },
  { 0, 200, 40, Of::node },
  { 1, 126, 20, Of::node },
  { 0, 1, 0, Of::node },
  { 500, 2500, 1500, Of::turnout },
  { 500, 2500, 1500, Of::turnout },
  { 0, 2, 0, Of::turnout },
  { 0, 1, 0, Of::beam },
};

// How long a coil is on at most, and how long it then rests: so many times as long at least.
constexpr uint8_t LEAST_RESTS = 4;
struct Duty { Setting pulse; Setting rest; };
constexpr uint8_t DUTIES = 2;
static const Duty DUTY[] IN_FLASH = { { Setting::magnet_ms, Setting::magnet_rest_ms }, { Setting::solenoid_ms, Setting::solenoid_rest_ms } };

}  // namespace node
