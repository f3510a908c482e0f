#include "settings.h"

#include "crc16.h"

namespace node {

namespace {

constexpr uint8_t MARK[] = {'P', 'N'};
constexpr uint8_t LAYOUT = 1;  // of the picture; rises when the settings change

constexpr uint8_t FIRST_OF_BEAM = SETTINGS_OF_NODE + SETTINGS_OF_TURNOUT * HIGHEST_TURNOUT;

SettingLimits limits_of(uint8_t setting) { return from_flash(SETTING_LIMITS[setting]); }

// The lower byte stands first. An int of an AVR has no room for a byte eight places up.
uint16_t number_at(const uint8_t* place) {
  return static_cast<uint16_t>(place[0] | static_cast<uint16_t>(place[1]) << 8);
}

uint8_t places_of(Of of) {
  if (of == Of::turnout) return HIGHEST_TURNOUT;
  return of == Of::beam ? HIGHEST_OF : 1;
}

}  // namespace

constexpr uint8_t Settings::VALUES;
constexpr uint8_t Settings::HEAD;
constexpr uint8_t Settings::PICTURE;

void Settings::defaults() {
  uint8_t place = 0;
  for (uint8_t setting = 0; setting < SETTINGS; ++setting) {
    const SettingLimits limits = limits_of(setting);
    for (uint8_t of = 0; of < places_of(limits.of); ++of) values_[place++] = limits.usual;
  }
}

uint16_t Settings::get(Setting setting, uint8_t of) const { return values_[place_of(setting, of)]; }

bool Settings::set(Setting setting, uint8_t of, uint16_t value) {
  const SettingLimits limits = limits_of(static_cast<uint8_t>(setting));
  if (value < limits.lowest || value > limits.highest) return false;
  values_[place_of(setting, of)] = value;
  return true;
}

bool Settings::rests() const {
  for (uint8_t i = 0; i < DUTIES; ++i) {
    const Duty duty = from_flash(DUTY[i]);
    if (get(duty.rest) < static_cast<uint32_t>(LEAST_RESTS) * get(duty.pulse)) return false;
  }
  return true;
}

Of Settings::belongs_to(Setting setting) { return limits_of(static_cast<uint8_t>(setting)).of; }

uint8_t Settings::picture(uint8_t place) const {
  if (place < PICTURE - 2) return plain(place);
  uint16_t crc = CRC_START;
  for (uint8_t i = 0; i < PICTURE - 2; ++i) crc = crc16(crc, plain(i));
  return static_cast<uint8_t>(place == PICTURE - 2 ? crc : crc >> 8);
}

bool Settings::take(const uint8_t* picture) {
  uint16_t crc = CRC_START;
  for (uint8_t i = 0; i < PICTURE - 2; ++i) crc = crc16(crc, picture[i]);
  bool good = crc == number_at(picture + PICTURE - 2);
  for (uint8_t i = 0; i < HEAD; ++i) good = good && picture[i] == plain(i);
  const uint8_t* next = picture + HEAD;
  for (uint8_t setting = 0; good && setting < SETTINGS; ++setting) {
    for (uint8_t of = 0; of < places_of(limits_of(setting).of); ++of, next += 2) {
      good = good && set(static_cast<Setting>(setting), of, number_at(next));
    }
  }
  good = good && rests();
  if (!good) defaults();
  return good;
}

// The node's come first, then each turnout's, then each beam's: generate.py sees to that.
uint8_t Settings::place_of(Setting setting, uint8_t of) {
  uint8_t place = static_cast<uint8_t>(setting);
  if (place < SETTINGS_OF_NODE) return place;
  place = static_cast<uint8_t>(place - SETTINGS_OF_NODE);
  if (place < SETTINGS_OF_TURNOUT) return static_cast<uint8_t>(SETTINGS_OF_NODE + place * HIGHEST_TURNOUT + of);
  place = static_cast<uint8_t>(place - SETTINGS_OF_TURNOUT);
  return static_cast<uint8_t>(FIRST_OF_BEAM + place * HIGHEST_OF + of);
}

uint8_t Settings::plain(uint8_t place) const {
  if (place < 2) return MARK[place];
  if (place == 2) return LAYOUT;
  if (place == 3) return VALUES;
  const uint16_t value = values_[(place - HEAD) / 2];
  return static_cast<uint8_t>(place % 2 == 0 ? value : value >> 8);
}

}  // namespace node
