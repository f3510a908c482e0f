// Why a board has started, out of the register that its controller keeps about it.
#pragma once

#include <stdint.h>

#include "protocol_constants.h"

namespace node {

// Bits of MCUSR, the same on ATmega328P and ATmega2560 (their data sheets, "MCU Status Register").
constexpr uint8_t POWER_ON_RESET = 1 << 0;
constexpr uint8_t EXTERNAL_RESET = 1 << 1;
constexpr uint8_t BROWN_OUT_RESET = 1 << 2;
constexpr uint8_t WATCHDOG_RESET = 1 << 3;

// A supply that comes on may set the other bits as well. None is set when a bootloader has cleared them: unknown.
inline Reset reset_cause(uint8_t status) {
  if (status & POWER_ON_RESET) return Reset::power;
  if (status & WATCHDOG_RESET) return Reset::watchdog;
  if (status & BROWN_OUT_RESET) return Reset::brownout;
  return status & EXTERNAL_RESET ? Reset::button : Reset::unknown;
}

}  // namespace node
