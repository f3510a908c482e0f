// A node that has met a host, as the tests of the whole node begin with, and what is looked for in its lines.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bench.h"
#include "check.h"

using Lines = std::vector<std::string>;

// Every clock is also started shortly before it turns over.
constexpr uint32_t STARTS[] = {0, 0xFFFFFFFF - 2500, 0xFFFFFFFF};

inline std::string joined(const Lines& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "; ";
  return all;
}

inline bool holds(const Lines& lines, const std::string& wanted) {
  return std::find(lines.begin(), lines.end(), wanted) != lines.end();
}

// A node to which a host has said hello.
struct Met : Bench {
  explicit Met(const node::Fitted& fitted = UNO, uint32_t start_ms = 0) : Bench(fitted, start_ms) { greet(); }
};

// An armed node with a servo and a solenoid, their coils rested.
struct Armed : Met {
  explicit Armed(const node::Fitted& fitted = UNO, uint32_t start_ms = 0) : Met(fitted, start_ms) {
    EQUAL(tell("set 14 1 1"), "ok");
    EQUAL(tell("set 12 1 1300"), "ok");
    EQUAL(tell("set 13 1 1700"), "ok");
    EQUAL(tell("set 14 2 2"), "ok");
    pass(2000);
    arm();
    lines();
  }
};
