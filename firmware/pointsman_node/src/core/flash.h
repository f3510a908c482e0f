// Tables that stay in flash on an AVR, and are plain memory elsewhere.
#pragma once

#include <string.h>

#ifdef __AVR__
#include <avr/pgmspace.h>
#define IN_FLASH PROGMEM
#else
#define IN_FLASH
#endif

namespace node {

// A copy of something in flash.
template <typename T>
inline T from_flash(const T& there) {
  T here;
#ifdef __AVR__
  memcpy_P(&here, &there, sizeof here);
#else
  memcpy(&here, &there, sizeof here);
#endif
  return here;
}

// Does a text equal one in flash?
inline bool equals_flash(const char* text, const char* there) {
#ifdef __AVR__
  return strcmp_P(text, there) == 0;
#else
  return strcmp(text, there) == 0;
#endif
}

}  // namespace node
