// Makes lines of the bytes that come, and picks the stop byte out of them.
#pragma once

#include <stdint.h>

#include "protocol_constants.h"

namespace node {

// What a byte completed: nothing yet, a line, a stop, or a line that is to be refused as too long or as no text.
enum class Read : uint8_t { nothing, line, stop, too_long, no_text };

class LineReader {
 public:
  // The stop byte counts wherever it stands, and what was read of a line before it is dropped. A bad line is told
  // once, at its end.
  Read feed(uint8_t byte);

  // The line, ended by a zero, without its line feed; good until the next byte.
  const char* line() const { return line_; }
  uint8_t length() const { return length_; }

 private:
  void restart();

  char line_[LONGEST] = {};
  uint8_t length_ = 0;
  bool whole_ = false;
  Read bad_ = Read::nothing;
};

}  // namespace node
