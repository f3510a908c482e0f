// Why the board has started, saved before anything could clear it.
#pragma once

#include <stdint.h>

#include "../core/reset_cause.h"

namespace glue {

// MCUSR as it was at the start.
uint8_t reset_status();

}  // namespace glue
