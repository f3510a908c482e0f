// The parts of the node, each alone. Every clock is also started shortly before it turns over.
#include <algorithm>
#include <cstring>
#include <string>

#include "../pointsman_node/src/core/crc16.h"
#include "../pointsman_node/src/core/dead_man.h"
#include "../pointsman_node/src/core/debounce.h"
#include "../pointsman_node/src/core/outbox.h"
#include "../pointsman_node/src/core/pulse.h"
#include "../pointsman_node/src/core/ramp.h"
#include "../pointsman_node/src/core/reset_cause.h"
#include "../pointsman_node/src/core/servo_move.h"
#include "../pointsman_node/src/core/settings.h"
#include "check.h"

using namespace node;

namespace {

const uint32_t STARTS[] = {0, 1000, 0x7FFFFFF0, 0xFFFFFFF0, 0xFFFFFFFF};

}  // namespace

TEST(a_contact_has_to_last) {
  for (uint32_t start : STARTS) {
    Debounce contact;
    contact.begin(false, start);
    CHECK(!contact.look(true, start + 1, 5, 15));
    CHECK(!contact.look(true, start + 5, 5, 15));
    CHECK(contact.look(true, start + 6, 5, 15));
    CHECK(contact.on());
    CHECK(!contact.look(true, start + 7, 5, 15));
    CHECK(!contact.look(false, start + 10, 5, 15));
    CHECK(!contact.look(true, start + 24, 5, 15));
    CHECK(!contact.look(false, start + 26, 5, 15));
    CHECK(!contact.look(false, start + 40, 5, 15));
    CHECK(contact.look(false, start + 41, 5, 15));
    CHECK(!contact.on());
    CHECK(contact.look(true, start + 42, 0, 0));
  }
}

TEST(a_coil_rests_first_and_after_every_pulse) {
  for (uint32_t start : STARTS) {
    Pulse coil;
    coil.begin(start);
    coil.start(start, 100);
    CHECK(!coil.on() && !coil.ready());
    CHECK(!coil.tick(start + 1999, 2000));
    CHECK(!coil.ready());
    CHECK(!coil.tick(start + 2000, 2000));
    CHECK(coil.ready());
    coil.start(start + 2000, 100);
    CHECK(coil.on());
    coil.start(start + 2050, 100);
    CHECK(!coil.tick(start + 2099, 2000));
    CHECK(coil.tick(start + 2100, 2000));
    CHECK(!coil.on() && !coil.ready());
    coil.cut(start + 2101);
    CHECK(!coil.tick(start + 4099, 2000));
    CHECK(!coil.ready());
    CHECK(!coil.tick(start + 4100, 2000));
    coil.start(start + 4100, 100);
    coil.cut(start + 4110);
    CHECK(!coil.on());
    CHECK(!coil.tick(start + 6109, 2000));
    CHECK(!coil.ready());
    CHECK(!coil.tick(start + 6110, 2000));
    CHECK(coil.ready());
    // Once rested it stays so, however often the clock turns over.
    CHECK(!coil.tick(start + 6109, 2000));
    CHECK(coil.ready());
  }
}

TEST(a_servo_gets_no_pulse_until_commanded_and_none_after_it_has_settled) {
  for (uint32_t start : STARTS) {
    ServoMove servo;
    CHECK(!servo.tick(start, 500));
    EQUAL(servo.pulse_us(start), 0);
    servo.command(1300, start, 100);
    CHECK(servo.moving());
    EQUAL(servo.pulse_us(start), 1300);
    CHECK(!servo.tick(start + FIRST_MOVE_MS - 1, 500));
    CHECK(servo.tick(start + FIRST_MOVE_MS, 500));
    CHECK(!servo.moving());
    EQUAL(servo.pulse_us(start + 900), 1300);
    CHECK(!servo.tick(start + 999, 500));
    EQUAL(servo.pulse_us(start + 999), 1300);
    CHECK(!servo.tick(start + 1000, 500));
    EQUAL(servo.pulse_us(start + 1000), 0);
  }
}

TEST(a_servo_moves_at_its_speed_from_where_it_was_commanded_last) {
  for (uint32_t start : STARTS) {
    ServoMove servo;
    servo.command(1300, start, 100);
    servo.tick(start + 500, 500);
    servo.tick(start + 1000, 500);
    servo.command(1700, start + 2000, 100);
    EQUAL(servo.pulse_us(start + 2000), 1300);
    EQUAL(servo.pulse_us(start + 2100), 1400);
    // It turns round half-way.
    servo.command(1300, start + 2200, 100);
    EQUAL(servo.pulse_us(start + 2200), 1500);
    EQUAL(servo.pulse_us(start + 2250), 1450);
    CHECK(!servo.tick(start + 2399, 500));
    CHECK(servo.tick(start + 2400, 500));
    EQUAL(servo.pulse_us(start + 2400), 1300);
  }
}

TEST(a_first_move_takes_its_whole_time_also_when_it_is_commanded_again) {
  for (uint32_t start : STARTS) {
    ServoMove servo;
    servo.command(1700, start, 100);
    EQUAL(servo.pulse_us(start + 400), 1700);
    // Nobody knows yet where it is: there already, or half-way from anywhere.
    servo.command(1700, start + 400, 100);
    CHECK(!servo.tick(start + 400, 500));
    CHECK(!servo.tick(start + 899, 500));
    servo.command(1300, start + 899, 100);
    EQUAL(servo.pulse_us(start + 899), 1300);
    CHECK(!servo.tick(start + 899 + FIRST_MOVE_MS - 1, 500));
    CHECK(servo.tick(start + 899 + FIRST_MOVE_MS, 500));
    // A servo whose end was forgotten begins anew.
    servo.release();
    CHECK(!servo.tick(start + 2000, 500));
    servo.command(1300, start + 2000, 100);
    CHECK(!servo.tick(start + 2000 + FIRST_MOVE_MS - 1, 500));
  }
}

TEST(a_servo_without_a_speed_goes_at_once_and_the_slowest_one_arrives) {
  ServoMove servo;
  servo.command(500, 0, 0);
  servo.tick(500, 0);
  servo.command(2500, 1000, 0);
  EQUAL(servo.pulse_us(1000), 2500);
  CHECK(servo.tick(1000, 0));
  servo.command(500, 2000, 1000);
  EQUAL(servo.pulse_us(2000 + 10000), 1500);
  CHECK(!servo.tick(2000 + 19999, 0));
  CHECK(servo.tick(2000 + 20000, 0));
  servo.release();
  EQUAL(servo.pulse_us(30000), 0);
}

TEST(a_heartbeat_is_watched_from_the_first_beat_and_lost_once) {
  for (uint32_t start : STARTS) {
    DeadMan dead_man;
    CHECK(!dead_man.tick(start + 5000, 1000));
    CHECK(!dead_man.watching());
    dead_man.beat(start);
    CHECK(!dead_man.tick(start + 999, 1000));
    dead_man.beat(start + 999);
    CHECK(!dead_man.tick(start + 1998, 1000));
    CHECK(dead_man.watching());
    CHECK(dead_man.tick(start + 1999, 1000));
    CHECK(!dead_man.watching());
    CHECK(!dead_man.tick(start + 9999, 1000));
    dead_man.beat(start + 10000);
    CHECK(dead_man.watching());
  }
}

TEST(a_speed_is_reached_step_by_step_and_cut_at_once) {
  for (uint32_t start : STARTS) {
    Ramp ramp;
    ramp.aim(20, start);
    for (uint32_t ms = 1; ms <= 50; ++ms) ramp.tick(start + ms, 20);
    EQUAL(int(ramp.step()), 10);
    for (uint32_t ms = 51; ms <= 200; ++ms) ramp.tick(start + ms, 20);
    EQUAL(int(ramp.step()), 20);
    ramp.aim(10, start + 5000);
    ramp.tick(start + 5025, 20);
    EQUAL(int(ramp.step()), 15);
    ramp.aim(30, start + 5025);
    ramp.tick(start + 5050, 20);
    EQUAL(int(ramp.step()), 20);
    EQUAL(int(ramp.aimed()), 30);
    ramp.cut();
    EQUAL(int(ramp.step()), 0);
    EQUAL(int(ramp.aimed()), 0);
    ramp.tick(start + 9000, 20);
    EQUAL(int(ramp.step()), 0);
  }
}

TEST(a_ramp_never_goes_past_its_aim) {
  for (uint16_t rate : {1, 3, 20, 126}) {
    for (uint32_t late_ms : {1U, 7U, 100U, 12601U, 0x80000000U, 0xFFFFFFFFU}) {
      Ramp ramp;
      ramp.aim(126, 0);
      ramp.tick(late_ms, rate);
      CHECK(ramp.step() <= 126);
      if (late_ms >= 12600) EQUAL(int(ramp.step()), 126);
      ramp.aim(3, late_ms);
      const int from = ramp.step();
      ramp.tick(late_ms + late_ms, rate);
      CHECK(ramp.step() >= std::min(from, 3) && ramp.step() <= std::max(from, 3));
    }
  }
}

TEST(a_step_has_its_duty) {
  EQUAL(int(Ramp::duty(0, 40)), 0);
  EQUAL(int(Ramp::duty(1, 40)), 40);
  EQUAL(int(Ramp::duty(126, 40)), 255);
  EQUAL(int(Ramp::duty(126, 0)), 255);
  for (uint8_t step = 1; step < 126; ++step) CHECK(Ramp::duty(step, 200) <= Ramp::duty(uint8_t(step + 1), 200));
}

TEST(settings_begin_safe_and_keep_their_limits) {
  Settings settings;
  EQUAL(settings.get(Setting::heartbeat_ms), 1000);
  for (uint8_t i = 0; i < HIGHEST_TURNOUT; ++i) EQUAL(settings.get(Setting::machine, i), 0);
  for (uint8_t number = 0; number < SETTINGS; ++number) {
    const Setting setting = static_cast<Setting>(number);
    const SettingLimits& limits = SETTING_LIMITS[number];
    EQUAL(settings.get(setting), limits.usual);
    if (limits.lowest > 0) CHECK(!settings.set(setting, 0, uint16_t(limits.lowest - 1)));
    CHECK(!settings.set(setting, 0, uint16_t(limits.highest + 1)));
    EQUAL(settings.get(setting), limits.usual);
  }
}

TEST(every_setting_has_a_place_of_its_own) {
  Settings settings;
  int value = 0;
  for (int turn = 0; turn < 2; ++turn) {
    value = 0;
    for (uint8_t number = 0; number < SETTINGS; ++number) {
      const SettingLimits& limits = SETTING_LIMITS[number];
      const uint8_t many = limits.of == Of::node ? 1 : limits.of == Of::turnout ? HIGHEST_TURNOUT : HIGHEST_OF;
      for (uint8_t of = 0; of < many; ++of, ++value) {
        const uint16_t own = uint16_t(limits.lowest + value % (limits.highest - limits.lowest + 1));
        if (turn == 0) CHECK(settings.set(static_cast<Setting>(number), of, own));
        else EQUAL(settings.get(static_cast<Setting>(number), of), own);
      }
    }
  }
  EQUAL(value, int(Settings::VALUES));
}

TEST(settings_come_back_from_their_picture_and_from_no_other) {
  Settings settings;
  CHECK(settings.set(Setting::closed_us, 7, 2500));
  CHECK(settings.set(Setting::beam_inverted, 15, 1));
  CHECK(settings.set(Setting::heartbeat_ms, 0, 300));
  uint8_t picture[Settings::PICTURE];
  for (uint8_t i = 0; i < Settings::PICTURE; ++i) picture[i] = settings.picture(i);
  Settings taken;
  CHECK(taken.take(picture));
  EQUAL(taken.get(Setting::closed_us, 7), 2500);
  EQUAL(taken.get(Setting::beam_inverted, 15), 1);
  for (int bit = 0; bit < Settings::PICTURE * 8; ++bit) {
    picture[bit / 8] ^= uint8_t(1 << bit % 8);
    CHECK(!taken.take(picture));
    EQUAL(taken.get(Setting::closed_us, 7), 1500);
    EQUAL(taken.get(Setting::heartbeat_ms), 1000);
    picture[bit / 8] ^= uint8_t(1 << bit % 8);
  }
  CHECK(taken.take(picture));
}

TEST(a_picture_of_another_layout_or_with_a_value_out_of_range_is_not_taken) {
  Settings settings;
  uint8_t picture[Settings::PICTURE];
  const auto sealed = [&](uint8_t place, uint8_t byte) {
    for (uint8_t i = 0; i < Settings::PICTURE; ++i) picture[i] = settings.picture(i);
    picture[place] = byte;
    const uint16_t crc = crc16(reinterpret_cast<const char*>(picture), Settings::PICTURE - 2);
    picture[Settings::PICTURE - 2] = uint8_t(crc);
    picture[Settings::PICTURE - 1] = uint8_t(crc >> 8);
  };
  for (uint8_t place = 0; place < Settings::HEAD; ++place) {
    sealed(place, 77);
    CHECK(!settings.take(picture));
  }
  sealed(Settings::HEAD + 1, 0xFF);
  CHECK(!settings.take(picture));
  EQUAL(settings.get(Setting::heartbeat_ms), 1000);
  // 500 ms on and 2000 ms of rest are just enough, 501 ms on are too much.
  const uint8_t magnet_ms = Settings::HEAD + 2 * uint8_t(Setting::magnet_ms);
  sealed(magnet_ms, uint8_t(500));
  CHECK(settings.take(picture));
  sealed(magnet_ms, uint8_t(501));
  CHECK(!settings.take(picture));
  EQUAL(settings.get(Setting::magnet_ms), 500);
  std::memset(picture, 0xFF, sizeof picture);
  CHECK(!settings.take(picture));
  std::memset(picture, 0, sizeof picture);
  CHECK(!settings.take(picture));
}

TEST(every_reset_has_its_cause) {
  CHECK(reset_cause(0) == Reset::unknown);
  CHECK(reset_cause(POWER_ON_RESET | BROWN_OUT_RESET | EXTERNAL_RESET) == Reset::power);
  CHECK(reset_cause(WATCHDOG_RESET | EXTERNAL_RESET) == Reset::watchdog);
  CHECK(reset_cause(BROWN_OUT_RESET) == Reset::brownout);
  CHECK(reset_cause(EXTERNAL_RESET) == Reset::button);
  CHECK(reset_cause(0x10) == Reset::unknown);
}

TEST(what_finds_no_room_shows_in_the_count) {
  Outbox outbox;
  CHECK(outbox.empty());
  for (uint8_t i = 0; i < Outbox::MOST; ++i) outbox.add(Event::beam, i, 1);
  EQUAL(int(outbox.count()), 0);
  outbox.add(Event::beam, 99, 1);
  outbox.add(Event::beam, 99, 0);
  for (uint8_t i = 0; i < Outbox::MOST; ++i) EQUAL(int(outbox.take().first), int(i));
  CHECK(outbox.empty());
  EQUAL(int(outbox.count()), 2);
  for (int i = 3; i < 100; ++i) EQUAL(int(outbox.count()), i);
  EQUAL(int(outbox.count()), 0);
}
