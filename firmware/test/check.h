// A small bench for tests: TEST(name) { ... }, CHECK(what), EQUAL(is, wanted). One test's failure does not end the others.
#pragma once

#include <cstdio>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace check {

struct Failed {};

struct Test {
  const char* name;
  std::function<void()> run;
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

inline bool add(const char* name, std::function<void()> run) {
  tests().push_back({name, run});
  return true;
}

[[noreturn]] inline void fail(const char* file, int line, const std::string& what) {
  std::printf("%s:%d: %s\n", file, line, what.c_str());
  throw Failed{};
}

template <typename Is, typename Wanted>
void equal(const Is& is, const Wanted& wanted, const char* what, const char* file, int line) {
  if (is == wanted) return;
  std::ostringstream text;
  text << what << " is " << is << ", not " << wanted;
  fail(file, line, text.str());
}

}  // namespace check

#define TEST(name)                                               \
  static void name();                                            \
  static const bool name##_added = check::add(#name, name);      \
  static void name()
#define CHECK(what) ((what) ? void() : check::fail(__FILE__, __LINE__, #what))
#define EQUAL(is, wanted) check::equal((is), (wanted), #is, __FILE__, __LINE__)
