// The pulses of the servos, one after the other, every 20 ms: by timer 1, which counts on, and one interrupt.
#pragma once

#include <stdint.h>

namespace glue {

constexpr uint8_t FRAME_MS = 20;

// ``at_frame`` is called in the interrupt, each time a frame has begun.
void start_servo_pulses(void (*at_frame)());

// The width of a turnout's pulse; 0 for none. The one that is on its way is brought to its end.
void set_servo_pulse(uint8_t turnout, uint16_t pulse_us);

// In the interrupt: does it get pulses?
bool has_servo_pulse(uint8_t turnout);

}  // namespace glue
