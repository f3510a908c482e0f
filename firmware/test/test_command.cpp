// A line, from its bytes to the command that it says, and back.
#include <cstdio>
#include <cstring>
#include <string>

#include "../pointsman_node/src/core/command.h"
#include "../pointsman_node/src/core/crc16.h"
#include "../pointsman_node/src/core/line_reader.h"
#include "../pointsman_node/src/core/line_writer.h"
#include "check.h"

using namespace node;

namespace {

Read feed(LineReader& reader, const std::string& bytes) {
  Read last = Read::nothing;
  for (char byte : bytes) last = reader.feed(static_cast<uint8_t>(byte));
  return last;
}

// The refusal of a line, through both steps.
Refusal read(const std::string& body, Command& command) {
  char line[128];
  const int length = std::snprintf(line, sizeof line, "%s*%04X", body.c_str(), crc16(body.c_str(), uint8_t(body.size())));
  const Refusal refusal = open_line(line, uint8_t(length), command);
  return refusal == FINE ? read_command(body.c_str(), command) : refusal;
}

}  // namespace

TEST(crc_is_the_one_of_the_catalogue) {
  EQUAL(crc16("123456789", 9), 0x29B1);
  EQUAL(crc16("", 0), 0xFFFF);
}

TEST(a_line_ends_with_its_line_feed) {
  LineReader reader;
  CHECK(feed(reader, "1 beat") == Read::nothing);
  CHECK(feed(reader, "\r\n") == Read::line);
  EQUAL(std::string(reader.line()), "1 beat");
  EQUAL(int(reader.length()), 6);
  CHECK(feed(reader, "\n\r\n") == Read::nothing);
  CHECK(feed(reader, "2\n") == Read::line);
  EQUAL(std::string(reader.line()), "2");
}

TEST(the_stop_byte_counts_anywhere_and_drops_the_line) {
  LineReader reader;
  CHECK(feed(reader, "\x18") == Read::stop);
  CHECK(feed(reader, "1 dri\x18") == Read::stop);
  CHECK(feed(reader, "ve\n") == Read::line);
  EQUAL(std::string(reader.line()), "ve");
  CHECK(feed(reader, std::string(200, 'x') + "\x18") == Read::stop);
  CHECK(feed(reader, "\x01\x02\x18") == Read::stop);
  CHECK(feed(reader, "3\n") == Read::line);
  EQUAL(std::string(reader.line()), "3");
}

TEST(a_line_of_the_longest_length_is_read_and_a_longer_one_refused_once) {
  LineReader reader;
  CHECK(feed(reader, std::string(LONGEST - 1, 'x') + "\n") == Read::line);
  EQUAL(uint32_t(reader.length()), LONGEST - 1);
  CHECK(feed(reader, std::string(LONGEST, 'x')) == Read::nothing);
  CHECK(feed(reader, "\n") == Read::too_long);
  CHECK(feed(reader, std::string(1000, 'x') + "\x80\n") == Read::too_long);
  CHECK(feed(reader, "ok\n") == Read::line);
}

TEST(what_is_no_text_is_refused_once) {
  LineReader reader;
  for (int byte = 0; byte < 256; ++byte) {
    if ((byte >= ' ' && byte <= '~') || byte == '\n' || byte == '\r' || byte == 0x18) continue;
    CHECK(feed(reader, std::string("1 be") + char(byte)) == Read::nothing);
    CHECK(feed(reader, std::string(1, char(byte)) + std::string(100, 'x') + "\n") == Read::no_text);
  }
}

TEST(a_line_is_written_word_by_word) {
  LineWriter line;
  line.count(7).word("turnout").number(0).number(65535).close();
  EQUAL(std::string(line.text(), line.length()), "@7 turnout 0 65535*6541\n");
  line.restart();
  line.count(99).close();
  EQUAL(std::string(line.text(), 4), "@99*");
}

TEST(a_word_too_many_is_left_out_and_the_line_stays_within_its_length) {
  LineWriter line;
  for (int i = 0; i < 100; ++i) line.number(12345);
  line.word("123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890");
  line.close();
  CHECK(line.length() <= LONGEST);
  EQUAL(int(line.length()), 9 * 6 - 1 + 6);
}

TEST(a_command_is_read) {
  Command command;
  CHECK(read("9999 set 15 16 30000", command) == FINE);
  EQUAL(command.number, 9999);
  CHECK(command.verb == Verb::set);
  EQUAL(command.values[0], 15);
  EQUAL(command.values[1], 16);
  EQUAL(command.values[2], 30000);
  CHECK(read("1 off", command) == FINE);
  CHECK(command.verb == Verb::off_);
}

TEST(a_hello_is_read_whatever_version_it_is_of) {
  const struct {
    const char* body;
    uint16_t version;
  } cases[] = {
      {"1 hello 1", 1},     {"1 hello 2", 2},   {"1 hello 255", 255}, {"1 hello 2 and more", 2}, {"1 hello", 0},
      {"1 hello 0", 0},     {"1 hello 256", 0}, {"1 hello x", 0},     {"1 hello 1x", 0},         {"1 hello  1", 0},
      {"1 hello 65537", 0}, {"1 hello ", 0},
  };
  for (const auto& one : cases) {
    Command command;
    CHECK(read(one.body, command) == FINE);
    CHECK(command.verb == Verb::hello);
    EQUAL(command.values[0], one.version);
  }
}

TEST(a_line_that_is_no_command_is_refused_with_its_reason) {
  const struct {
    const char* body;
    Refusal refusal;
    uint16_t number;
  } cases[] = {
      {"", Refusal::form, 0},
      {"beat", Refusal::form, 0},
      {"0 beat", Refusal::form, 0},
      {"10000 beat", Refusal::form, 0},
      {"99999999999999999999 beat", Refusal::form, 0},
      {"4294967297 beat", Refusal::form, 0},
      {"-1 beat", Refusal::form, 0},
      {" 1 beat", Refusal::form, 0},
      {"1", Refusal::form, 0},
      {"1  beat", Refusal::verb, 1},
      {"1 ", Refusal::verb, 1},
      {"1 beats", Refusal::verb, 1},
      {"1 bea", Refusal::verb, 1},
      {"1 averyveryverylongverb", Refusal::verb, 1},
      {"1 beat 1", Refusal::form, 1},
      {"1 beat ", Refusal::form, 1},
      {"1 drive", Refusal::form, 1},
      {"1 drive 1", Refusal::form, 1},
      {"1 drive 1 ", Refusal::form, 1},
      {"1 drive 1 -5", Refusal::form, 1},
      {"1 drive 1 5x", Refusal::form, 1},
      {"1 drive 1 5 5", Refusal::form, 1},
      {"1 drive 1  5", Refusal::form, 1},
      {"1 drive 2 5", Refusal::range, 1},
      {"1 drive 1 127", Refusal::range, 1},
      {"1 drive 1 256", Refusal::range, 1},
      {"1 drive 1 65537", Refusal::range, 1},
      {"1 drive 1 4294967297", Refusal::range, 1},
      {"1 turnout 0 1", Refusal::range, 1},
      {"1 turnout 9 1", Refusal::range, 1},
      {"1 magnet 1 2001", Refusal::range, 1},
      {"1 get 16 0", Refusal::range, 1},
      {"1 hello 1 1", Refusal::form, 1},
      {"1 hello 1 ", Refusal::form, 1},
  };
  for (const auto& one : cases) {
    Command command;
    EQUAL(int(read(one.body, command)), int(one.refusal));
    EQUAL(command.number, one.number);
  }
}

TEST(a_line_with_a_wrong_checksum_is_refused) {
  Command command;
  char room[32];
  const auto open = [&](const std::string& text) {
    std::strcpy(room, text.c_str());
    return open_line(room, uint8_t(text.size()), command);
  };
  const std::string body = "12 beat";
  std::snprintf(room, sizeof room, "%s*%04X", body.c_str(), crc16(body.c_str(), uint8_t(body.size())));
  const std::string right = room;
  CHECK(open(right) == FINE);
  for (size_t place = 0; place < right.size(); ++place) {
    std::string wrong = right;
    wrong[place] ^= 1;
    CHECK(open(wrong) == Refusal::crc);
    EQUAL(command.number, 0);
  }
  for (const char* text : {"", "*", "12", "12 beat", "1234", "*29B1", "12 beat*", "12 beat*123"}) {
    CHECK(open(text) == Refusal::crc);
  }
  CHECK(open("*FFFF") == Refusal::form);
}
