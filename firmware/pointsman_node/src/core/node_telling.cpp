// What the node tells the host. Nothing here waits: what finds no room is told at the next look.
#include "firmware_version.h"
#include "node.h"

namespace node {

namespace {

const char OK[] IN_FLASH = "ok";
const char NO[] IN_FLASH = "no";

template <typename Code>
uint8_t index_of(Code code) {
  return static_cast<uint8_t>(code);
}

}  // namespace

void Node::answer(Verb verb, Refusal refusal) {
  answer_.restart();
  answer_.number(number_).word(refusal == FINE ? OK : NO);
  if (refusal != FINE) {
    answer_.word(REFUSAL_NAMES[index_of(refusal)]);
    if (refusal == Refusal::version) answer_.number(VERSION);
  } else if (verb == Verb::hello) {
    write_hello(answer_);
  } else if (verb == Verb::beat) {
    answer_.word(LATCH_NAMES[index_of(latch_)]);
  } else if (verb == Verb::get) {
    answer_.number(got_);
  }
  answer_.close();
  answered_ = answer_due_ = true;
}

// One at a time: of many garbled lines, as many are told as there is room for.
void Node::refuse_unheard(uint16_t number, Refusal refusal) {
  unheard_number_ = number;
  unheard_ = refusal;
}

void Node::tell(uint32_t now_ms) {
  if (!tell_answer()) return;
  if (now_ms - alive_ms_ >= ALIVE_MS && hardware_.room() >= LONGEST) {
    alive_ms_ = now_ms;
    tell_event({Event::alive, index_of(latch_), 0});
  }
  while (hardware_.room() >= LONGEST) {
    // What happened before is told before, so that what is reported is the newest.
    if (!outbox_.empty()) tell_event(outbox_.take());
    else if (reporting()) tell_event(report_next());
    else if (!tell_unheard()) return;
  }
}

// False when an answer still waits.
bool Node::tell_answer() {
  if (answer_due_) {
    if (hardware_.room() < answer_.length()) return false;
    hardware_.write(answer_.text(), answer_.length());
    answer_due_ = false;
  }
  return true;
}

// After everything else, so that a flood of garbage hides nothing. False when there is none.
bool Node::tell_unheard() {
  if (unheard_ == FINE) return false;
  LineWriter line;
  line.number(unheard_number_).word(NO).word(REFUSAL_NAMES[index_of(unheard_)]).close();
  hardware_.write(line.text(), line.length());
  unheard_ = FINE;
  return true;
}

void Node::tell_event(const Happening& happening) {
  LineWriter line;
  line.count(outbox_.count()).word(EVENT_NAMES[index_of(happening.event)]);
  switch (happening.event) {
    case Event::hello:
      write_hello(line);
      break;
    case Event::turnout:
      line.number(happening.first).word(LIE_NAMES[happening.second]);
      break;
    case Event::beam:
    case Event::magnet:
    case Event::drive:
      line.number(happening.first).number(happening.second);
      break;
    case Event::settings:
      line.word(SETTINGS_STATE_NAMES[happening.first]);
      break;
    case Event::latch:
    case Event::alive:
      line.word(LATCH_NAMES[happening.first]);
      break;
    default:
      break;
  }
  line.close();
  hardware_.write(line.text(), line.length());
}

void Node::write_hello(LineWriter& line) const {
  line.number(VERSION).word(FIRMWARE).word(BOARD_NAMES[index_of(fitted_.board)]).word(RESET_NAMES[index_of(cause_)]);
  line.number(fitted_.turnouts).number(fitted_.beams).number(fitted_.magnets).number(fitted_.dc).number(fitted_.relay);
}

Happening Node::report_next() {
  uint8_t place = reporting_++;
  if (place == 0) return {Event::latch, index_of(latch_), 0};
  if (place == 1) return {Event::settings, index_of(settings_state_), 0};
  place -= 2;
  if (fitted_.dc && place-- == 0) return {Event::drive, direction_, ramp_.aimed()};
  if (place < fitted_.turnouts) return {Event::turnout, static_cast<uint8_t>(place + 1), index_of(told_[place])};
  place -= fitted_.turnouts;
  if (place < fitted_.beams) return {Event::beam, static_cast<uint8_t>(place + 1), beams_[place].on()};
  place -= fitted_.beams;
  if (place < fitted_.magnets) return {Event::magnet, static_cast<uint8_t>(place + 1), magnets_[place].on()};
  reporting_ = report_again_ ? 0 : NOT_REPORTING;
  report_again_ = false;
  return {Event::end, 0, 0};
}

}  // namespace node
