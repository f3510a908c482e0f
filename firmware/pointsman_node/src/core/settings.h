// What can be set at a node, and its picture in memory that outlasts the supply.
#pragma once

#include <stdint.h>

#include "protocol_constants.h"

namespace node {

class Settings {
 public:
  static constexpr uint8_t VALUES =
      SETTINGS_OF_NODE + SETTINGS_OF_TURNOUT * HIGHEST_TURNOUT + SETTINGS_OF_BEAM * HIGHEST_OF;
  static constexpr uint8_t HEAD = 4;                      // a mark of two bytes, the layout, the number of values
  static constexpr uint8_t PICTURE = HEAD + 2 * VALUES + 2;  // with the checksum

  Settings() { defaults(); }

  void defaults();

  // ``of`` counts from 0 here: the turnout or beam, and 0 for a setting of the node.
  uint16_t get(Setting setting, uint8_t of = 0) const;
  // False, and nothing changed, when the value is out of range.
  bool set(Setting setting, uint8_t of, uint16_t value);

  // Does every coil rest for long enough after its longest pulse?
  bool rests() const;

  static Of belongs_to(Setting setting);

  // One byte of the picture.
  uint8_t picture(uint8_t place) const;
  // Take a picture's values, all or, when any of it is wrong, none: then the defaults hold and it is false.
  bool take(const uint8_t* picture);

 private:
  static uint8_t place_of(Setting setting, uint8_t of);
  uint8_t plain(uint8_t place) const;

  uint16_t values_[VALUES];
};

}  // namespace node
