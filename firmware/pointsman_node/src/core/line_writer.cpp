#include "line_writer.h"

#include "crc16.h"

namespace node {

namespace {

constexpr uint8_t ENDING = 6;  // a star, four digits, a line feed
constexpr uint8_t MOST_DIGITS = 5;

// The digits of a number, at the end of the room for them; returns how many.
uint8_t digits_of(uint16_t value, char* room) {
  uint8_t used = 0;
  do {
    room[MOST_DIGITS - ++used] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  return used;
}

}  // namespace

LineWriter& LineWriter::number(uint16_t value) {
  char room[MOST_DIGITS];
  const uint8_t used = digits_of(value, room);
  add(room + MOST_DIGITS - used, used);
  return *this;
}

LineWriter& LineWriter::count(uint8_t value) {
  char room[MOST_DIGITS + 1];
  const uint8_t used = digits_of(value, room + 1);
  char* start = room + MOST_DIGITS - used;
  *start = '@';
  add(start, used + 1);
  return *this;
}

LineWriter& LineWriter::word(const char* in_flash) {
  char here[LONGEST];
  uint8_t length = 0;
  for (char next; length < LONGEST && (next = from_flash(in_flash[length])) != '\0';) here[length++] = next;
  add(here, length);
  return *this;
}

void LineWriter::close() {
  const uint16_t crc = crc16(text_, length_);
  text_[length_++] = '*';
  for (int8_t shift = 12; shift >= 0; shift -= 4) {
    const uint8_t digit = (crc >> shift) & 0xF;
    text_[length_++] = static_cast<char>(digit < 10 ? '0' + digit : 'A' + digit - 10);
  }
  text_[length_++] = '\n';
}

void LineWriter::add(const char* text, uint8_t length) {
  const uint8_t parted = length_ == 0 ? 0 : 1;
  if (static_cast<uint16_t>(length_ + parted + length) > LONGEST - ENDING) return;
  if (parted) text_[length_++] = ' ';
  memcpy(text_ + length_, text, length);
  length_ = static_cast<uint8_t>(length_ + length);
}

}  // namespace node
