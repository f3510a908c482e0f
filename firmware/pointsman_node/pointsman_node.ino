// The node of pointsman: turnouts, beams, magnets, the track relay and a throttle, told by lines over the serial port.
// Wiring, pins and uploading: firmware/README.md.
#include "src/core/node.h"
#include "src/glue/arduino_board.h"
#include "src/glue/reset_status.h"

static glue::ArduinoBoard board;
static node::Node pointsman(board, glue::FITTED, node::reset_cause(glue::reset_status()));

void setup() {
  board.begin();
  Serial.begin(node::BAUD);
  pointsman.begin(millis());
}

void loop() {
  const uint32_t now_ms = millis();
  if (board.hung()) pointsman.hung(now_ms);
  // What comes meanwhile waits for the next look, so that a flood does not keep time from passing.
  for (int waiting = Serial.available(); waiting > 0; --waiting) {
    pointsman.receive(static_cast<uint8_t>(Serial.read()), now_ms);
  }
  pointsman.tick(now_ms);
  board.alive();
  board.rest();
}
