// The version of this firmware; with the controller's of the same repository.
#pragma once

#include "flash.h"

namespace node {

static const char FIRMWARE[] IN_FLASH = "0.1.0";

}  // namespace node
