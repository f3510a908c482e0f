// A line from the host, taken apart.
#pragma once

#include <stdint.h>

#include "protocol_constants.h"

namespace node {

// Nothing stands against it.
constexpr Refusal FINE = static_cast<Refusal>(REFUSALS);

struct Command {
  uint16_t number = 0;  // 0 when it could not be read
  Verb verb = Verb::hello;
  uint16_t values[MOST_ARGUMENTS] = {};
};

// Checks the checksum and reads the number. The body is the line without its last CHECK bytes.
constexpr uint8_t CHECK = 5;  // a star and four digits
Refusal open_line(const char* line, uint8_t length, Command& command);

// Reads verb and arguments of the body, ended by a zero, of a line that was opened. Whether all is in range is asked last.
Refusal read_command(const char* body, Command& command);

}  // namespace node
