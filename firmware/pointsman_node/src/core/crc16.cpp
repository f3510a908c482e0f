#include "crc16.h"

namespace node {

uint16_t crc16(uint16_t so_far, uint8_t byte) {
  so_far = static_cast<uint16_t>(so_far ^ static_cast<uint16_t>(byte) << 8);
  for (uint8_t bit = 0; bit < 8; ++bit) {
    const bool carry = (so_far & 0x8000) != 0;
    so_far = static_cast<uint16_t>(so_far << 1);
    if (carry) so_far ^= 0x1021;
  }
  return so_far;
}

uint16_t crc16(const char* text, uint8_t length) {
  uint16_t crc = CRC_START;
  for (uint8_t i = 0; i < length; ++i) crc = crc16(crc, static_cast<uint8_t>(text[i]));
  return crc;
}

}  // namespace node
