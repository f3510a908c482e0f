#include "reset_status.h"

#include <avr/io.h>
#include <avr/wdt.h>

namespace {

uint8_t saved __attribute__((section(".noinit")));

}  // namespace

// Runs before the memory is cleared and before any constructor. After a watchdog reset the watchdog is still on, at its
// shortest time.
extern "C" void save_reset_status() __attribute__((naked, used, section(".init3")));
extern "C" void save_reset_status() {
  saved = MCUSR;
  MCUSR = 0;
  wdt_disable();
}

namespace glue {

uint8_t reset_status() { return saved; }

}  // namespace glue
