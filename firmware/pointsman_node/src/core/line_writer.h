// One line to the host, word by word, with its checksum.
#pragma once

#include <stdint.h>

#include "protocol_constants.h"

namespace node {

class LineWriter {
 public:
  // Start anew.
  void restart() { length_ = 0; }

  // A word more; a space parts it from the one before. A word that does not fit is left out whole.
  LineWriter& number(uint16_t value);
  LineWriter& count(uint8_t value);  // @ and a number: the count of an event
  LineWriter& word(const char* in_flash);

  // The checksum and the line feed.
  void close();

  const char* text() const { return text_; }
  uint8_t length() const { return length_; }

 private:
  void add(const char* text, uint8_t length);

  char text_[LONGEST] = {};
  uint8_t length_ = 0;
};

}  // namespace node
