#include "line_reader.h"

namespace node {

Read LineReader::feed(uint8_t byte) {
  if (whole_) restart();
  if (byte == STOP_BYTE) {
    restart();
    return Read::stop;
  }
  if (byte == '\r') return Read::nothing;
  if (byte == '\n') {
    if (bad_ != Read::nothing) {
      const Read bad = bad_;
      restart();
      return bad;
    }
    if (length_ == 0) return Read::nothing;
    line_[length_] = '\0';
    whole_ = true;
    return Read::line;
  }
  if (byte < ' ' || byte > '~') {
    if (bad_ == Read::nothing) bad_ = Read::no_text;
  } else if (length_ == LONGEST - 1) {
    if (bad_ == Read::nothing) bad_ = Read::too_long;
  } else {
    line_[length_++] = static_cast<char>(byte);
  }
  return Read::nothing;
}

void LineReader::restart() {
  length_ = 0;
  whole_ = false;
  bad_ = Read::nothing;
}

}  // namespace node
