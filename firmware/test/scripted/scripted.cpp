// A node that is told by a script what happens to it, and says what it does: to be compared with another of its kind.
//
// In, a line each:
//   new TURNOUTS BEAMS MAGNETS DC RELAY   a node with so much, its memory never written
//   reset                                 it starts anew
//   pass MS                               time goes on, by the millisecond
//   held MS                               likewise, while nothing leaves the board
//   bytes HEX                             from the host
//   pin BEAM 0|1                          of a beam, from 1 on
//   look                                  say how its pins are
// Out: `new` for each new node, what it sends, each line with its millisecond, and its pins when asked.
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>

#include "../bench.h"
#include "../check.h"

using namespace node;

namespace {

constexpr uint8_t ROOM = 63;
constexpr uint8_t BYTES_PER_MS = 11;  // 115,200 baud
constexpr int MEMORY_TAKES = 3;       // looks, for a byte

class Scripted {
 public:
  explicit Scripted(const Fitted& fitted) : fitted_(fitted), board_(fitted) {
    std::memset(board_.memory, 0xFF, sizeof board_.memory);
    board_.memory_takes = MEMORY_TAKES;
    start(Reset::power);
  }

  void start(Reset cause) {
    board_.buffer_free = ROOM;
    board_.memory_busy = 0;
    for (auto& pulse : board_.pulse_us) pulse = 0;
    for (auto& pair : board_.coils) pair[0] = pair[1] = false;
    board_.duty = 0;
    node_.reset(new Node(board_, fitted_, cause));
    node_->begin(now_ms_);
  }

  void pass(int ms, bool held) {
    for (; ms > 0; --ms) {
      ++now_ms_;
      if (!held) board_.buffer_free = static_cast<uint8_t>(std::min<int>(ROOM, board_.buffer_free + BYTES_PER_MS));
      look();
    }
  }

  void hear(const std::string& hex) {
    for (size_t i = 0; i + 1 < hex.size(); i += 2) {
      node_->receive(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)), now_ms_);
    }
    look();
  }

  void pin(int beam, bool high) {
    board_.high[beam - 1] = high;
    look();
  }

  void tell_pins() const {
    std::cout << "pins relay " << board_.closed << " runs " << (board_.duty != 0) << " magnets";
    for (uint8_t i = 0; i < fitted_.magnets; ++i) std::cout << " " << board_.magnets[i];
    std::cout << "\n";
  }

 private:
  // As the board's loop does: after everything that has come, time passes.
  void look() {
    node_->tick(now_ms_);
    for (size_t end; (end = board_.sent.find('\n')) != std::string::npos; board_.sent.erase(0, end + 1)) {
      std::cout << now_ms_ << " " << board_.sent.substr(0, end) << "\n";
    }
  }

  const Fitted fitted_;
  PaperBoard board_;
  std::unique_ptr<Node> node_;
  uint32_t now_ms_ = 0;
};

}  // namespace

int main() {
  std::unique_ptr<Scripted> scripted;
  try {
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream words(line);
      std::string what;
      words >> what;
      int first = 0;
      int second = 0;
      if (what == "new") {
        int magnets = 0;
        bool dc = false;
        bool relay = false;
        words >> first >> second >> magnets >> dc >> relay;
        std::cout << "new\n";
        scripted.reset(new Scripted({Board::uno, uint8_t(first), uint8_t(second), uint8_t(magnets), dc, relay}));
      } else if (what == "reset") {
        scripted->start(Reset::button);
      } else if (what == "pass" || what == "held") {
        words >> first;
        scripted->pass(first, what == "held");
      } else if (what == "bytes") {
        words >> what;
        scripted->hear(what);
      } else if (what == "pin") {
        words >> first >> second;
        scripted->pin(first, second != 0);
      } else if (what == "look") {
        scripted->tell_pins();
        std::cout.flush();
      } else {
        std::cerr << "not a word of a script: " << line << "\n";
        return 2;
      }
    }
  } catch (const check::Failed&) {
    return 1;  // what failed has been printed
  }
  return 0;
}
