// The node: what it is told, what it does, and what it tells.
#pragma once

#include <stdint.h>

#include "command.h"
#include "dead_man.h"
#include "debounce.h"
#include "hardware.h"
#include "line_reader.h"
#include "line_writer.h"
#include "outbox.h"
#include "pulse.h"
#include "ramp.h"
#include "settings.h"
#include "turnout.h"

namespace node {

class Node {
 public:
  Node(Hardware& hardware, const Fitted& fitted, Reset cause);

  // Once, before anything else: everything off, the settings read.
  void begin(uint32_t now_ms);

  // A byte from the host.
  void receive(uint8_t byte, uint32_t now_ms);

  // The board has switched everything off by itself, since nobody looked for too long.
  void hung(uint32_t now_ms) { stop(Latch::hang, now_ms); }

  // As often as can be: lets time pass.
  void tick(uint32_t now_ms);

 private:
  static constexpr uint8_t MOST_BEAMS = HIGHEST_OF;
  static constexpr uint8_t NOT_REPORTING = 255;

  bool latched() const { return latch_ != Latch::none; }
  bool storing() const { return storing_number_ != 0; }
  bool may_move() const;
  void watch(uint32_t now_ms);
  void stop(Latch why, uint32_t now_ms);
  void cut_current();
  void set_latch(Latch latch);
  void tick_dc(uint32_t now_ms);
  void put_dc(uint8_t duty);
  void tick_magnets(uint32_t now_ms);
  void tick_turnouts(uint32_t now_ms);
  void tell_turnout(uint8_t turnout);
  void tick_beams(uint32_t now_ms);
  void tick_store();
  bool broken(uint8_t beam);
  void read_settings();

  // node_commands.cpp
  void hear(uint32_t now_ms);
  void answer(Verb verb, Refusal refusal);
  static bool moves(const Command& command);
  Refusal carry_out(const Command& command, uint32_t now_ms);
  Refusal greet(const Command& command, uint32_t now_ms);
  Refusal arm();
  Refusal set_turnout(const Command& command, uint32_t now_ms);
  Refusal set_magnet(const Command& command, uint32_t now_ms);
  Refusal set_drive(const Command& command, uint32_t now_ms);
  Refusal find_setting(const Command& command, uint8_t& of) const;
  Refusal get_setting(const Command& command);
  Refusal set_setting(const Command& command, uint32_t now_ms);
  Refusal store();
  Refusal forget_settings(uint32_t now_ms);
  Refusal trip(uint32_t now_ms);

  // node_telling.cpp
  void tell(uint32_t now_ms);
  bool tell_answer();
  bool tell_unheard();
  void tell_event(const Happening& happening);
  void write_hello(LineWriter& line) const;
  void refuse_unheard(uint16_t number, Refusal refusal);
  bool reporting() const { return reporting_ != NOT_REPORTING; }
  Happening report_next();

  Hardware& hardware_;
  const Fitted fitted_;
  const Reset cause_;

  LineReader reader_;
  DeadMan dead_man_;
  Settings settings_;
  SettingsState settings_state_ = SettingsState::defaults;
  Latch latch_ = Latch::boot;
  bool greeted_ = false;  // has a host of this version said hello?

  Ramp ramp_;
  uint8_t commanded_ = 0;  // the step; a stop does not change it
  uint8_t direction_ = 0;
  uint8_t duty_ = 0;
  Turnout turnouts_[HIGHEST_TURNOUT];
  Lie told_[HIGHEST_TURNOUT] = {};
  Pulse magnets_[HIGHEST_MAGNET];
  Debounce beams_[MOST_BEAMS];

  uint16_t number_ = 0;       // of the last command,
  char body_[LONGEST] = {};   // its words,
  LineWriter answer_;         // and its answer
  bool answered_ = false;     // is the answer there?
  bool answer_due_ = false;   // and must it still be sent?
  uint16_t got_ = 0;          // the value that was asked for
  Refusal unheard_ = FINE;    // why a line did not become a command, to be told,
  uint16_t unheard_number_ = 0;  // with its number

  uint16_t storing_number_ = 0;  // of the command that waits for it; 0 when nothing is stored
  uint8_t stored_ = 0;           // bytes
  bool trips_ = false;
  uint32_t trip_ms_ = 0;

  Outbox outbox_;
  uint32_t alive_ms_ = 0;
  uint8_t reporting_ = NOT_REPORTING;  // what of the whole state comes next
  bool report_again_ = false;
};

}  // namespace node
