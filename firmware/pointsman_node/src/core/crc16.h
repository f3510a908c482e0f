// CRC-16/CCITT-FALSE: polynomial 1021, start FFFF, nothing reflected.
#pragma once

#include <stdint.h>

namespace node {

constexpr uint16_t CRC_START = 0xFFFF;

// The checksum so far, with one byte more.
uint16_t crc16(uint16_t so_far, uint8_t byte);

// The checksum of a text.
uint16_t crc16(const char* text, uint8_t length);

}  // namespace node
