#include "command.h"

#include "crc16.h"

namespace node {

namespace {

constexpr uint32_t BEYOND = 100000;  // every limit; what is higher need not be told apart

// A number in decimal digits, left behind; false when there is none.
bool read_number(const char*& at, uint32_t& value) {
  const char* start = at;
  value = 0;
  for (; *at >= '0' && *at <= '9'; ++at) {
    if (value < BEYOND) value = value * 10 + static_cast<uint8_t>(*at - '0');
  }
  return at != start;
}

// Only upper-case digits, so that a line has one form.
bool same_digit(char digit, uint8_t value) {
  return digit == static_cast<char>(value < 10 ? '0' + value : 'A' + value - 10);
}

// The verb, left behind; false when there is no such verb.
bool read_verb(const char*& at, Verb& verb) {
  char word[sizeof VERB_NAMES[0]];
  uint8_t length = 0;
  for (; *at != ' ' && *at != '\0'; ++at) {
    if (length == sizeof word - 1) return false;
    word[length++] = *at;
  }
  word[length] = '\0';
  for (uint8_t i = 0; i < VERBS; ++i) {
    if (!equals_flash(word, VERB_NAMES[i])) continue;
    verb = static_cast<Verb>(i);
    return true;
  }
  return false;
}

// Whatever a host says after its hello, it is to learn which version it meets: what is not one counts as version 0.
Refusal read_hello(const char* at, Command& command) {
  uint32_t version = 0;
  if (*at != ' ' || !read_number(++at, version) || (*at != ' ' && *at != '\0') || version > HIGHEST_VERSION) version = 0;
  command.values[0] = static_cast<uint16_t>(version);
  return version == VERSION && *at != '\0' ? Refusal::form : FINE;
}

}  // namespace

Refusal open_line(const char* line, uint8_t length, Command& command) {
  command.number = 0;
  if (length < CHECK || line[length - CHECK] != '*') return Refusal::crc;
  const uint8_t body = length - CHECK;
  const uint16_t crc = crc16(line, body);
  for (uint8_t i = 0; i < 4; ++i) {
    if (!same_digit(line[body + 1 + i], (crc >> (12 - 4 * i)) & 0xF)) return Refusal::crc;
  }
  const char* at = line;
  uint32_t number = 0;
  if (!read_number(at, number) || *at != ' ' || number == 0 || number > LAST_NUMBER) return Refusal::form;
  command.number = static_cast<uint16_t>(number);
  return FINE;
}

Refusal read_command(const char* body, Command& command) {
  const char* at = body;
  uint32_t value = 0;
  read_number(at, value);
  ++at;
  if (!read_verb(at, command.verb)) return Refusal::verb;
  if (command.verb == Verb::hello) return read_hello(at, command);
  bool in_range = true;
  for (uint8_t i = 0; i < MOST_ARGUMENTS; ++i) {
    const Argument wanted = from_flash(VERB_ARGUMENTS[static_cast<uint8_t>(command.verb)][i]);
    if (wanted == Argument::nothing) break;
    if (*at != ' ' || !read_number(++at, value)) return Refusal::form;
    const Limits limits = from_flash(ARGUMENT_LIMITS[static_cast<uint8_t>(wanted)]);
    in_range = in_range && value >= limits.lowest && value <= limits.highest;
    command.values[i] = static_cast<uint16_t>(value);
  }
  if (*at != '\0') return Refusal::form;
  return in_range ? FINE : Refusal::range;
}

}  // namespace node
