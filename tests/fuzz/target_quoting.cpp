// target_quoting.cpp: words that are written into a script come back, however they were quoted.
#include "common/options/script.h"
#include "tests/fuzz/fuzz.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

// One of the ways a shell allows; an empty word needs quotes.
std::string quoted(const std::string& word, Bytes& bytes) {
  const bool has_single = word.find('\'') != std::string::npos;
  if (!has_single && bytes.coin()) return "'" + word + "'";
  const bool in_double = word.empty() || bytes.coin();
  std::string text;
  for (char c : word) {
    if (!in_double || c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return in_double ? "\"" + text + "\"" : text;
}

// Lines end at a newline whatever stands around it.
std::string one_line(std::string word) {
  for (char& c : word)
    if (c == '\n') c = ' ';
  return word;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(text_of(data, size));
  std::vector<std::string> words;
  std::string line = "#SBATCH";
  for (int count = 1 + bytes.byte() % 4; count > 0; --count) {
    words.push_back(one_line(bytes.text(20)));
    line += (bytes.coin() ? " " : "\t  ") + quoted(words.back(), bytes);
  }
  if (bytes.coin()) line += "  # remark 'with quote";
  const std::string script = "#!/bin/sh\n" + line + "\ntrue\n";
  if (script.find("\r\n") != std::string::npos) return 0;  // refused as a whole
  const auto read = read_directives(script, "j.sh");
  require(read.ok() && read->directives.size() == 1, "a line of quoted words is read", line);
  std::vector<std::string> back;
  for (const OptionValue& word : read->directives.front().words) back.push_back(word.text);
  require(back == words, "words come back as they were written", line);
  return 0;
}
