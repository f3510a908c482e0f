// Runs every test, or those whose name holds the first argument.
#include "check.h"

int main(int count, char** words) {
  int ran = 0;
  int failed = 0;
  for (const check::Test& test : check::tests()) {
    if (count > 1 && std::string(test.name).find(words[1]) == std::string::npos) continue;
    ++ran;
    try {
      test.run();
    } catch (const check::Failed&) {
      std::printf("  in %s\n", test.name);
      ++failed;
    }
  }
  std::printf("%d tests, %d failed\n", ran, failed);
  return failed == 0 && ran > 0 ? 0 : 1;
}
