// mutation.cpp: the ways to damage an input, one function each.
#include "tests/fuzz/mutation.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sluice::fuzz {
namespace {

struct Change {
  std::string& input;
  const Corpus& corpus;
  Random& random;

  std::size_t place() const { return random.below(input.size() + 1); }
  std::size_t length(std::size_t max) const { return 1 + random.below(max); }
};

void flip_bit(const Change& change) {
  if (change.input.empty()) return;
  char& byte = change.input[change.random.below(change.input.size())];
  byte = static_cast<char>(byte ^ (1 << change.random.below(8)));
}

void set_byte(const Change& change) {
  if (change.input.empty()) return;
  change.input[change.random.below(change.input.size())] =
      static_cast<char>(change.random.below(256));
}

void insert_bytes(const Change& change) {
  std::string bytes(change.length(4), '\0');
  for (char& byte : bytes) byte = static_cast<char>(change.random.below(256));
  change.input.insert(change.place(), bytes);
}

void erase_bytes(const Change& change) { change.input.erase(change.place(), change.length(8)); }

void cut_off(const Change& change) { change.input.resize(change.place()); }

void insert_word(const Change& change) {
  if (change.corpus.words.empty()) return;
  change.input.insert(change.place(),
                      change.corpus.words[change.random.below(change.corpus.words.size())]);
}

void repeat_part(const Change& change) {
  const std::string part = change.input.substr(change.place(), change.length(32));
  for (std::uint64_t times = change.length(4); times > 0; --times)
    change.input.insert(change.place(), part);
}

// The front of this input with the end of another.
void splice(const Change& change) {
  const std::string& other = change.corpus.inputs[change.random.below(change.corpus.inputs.size())];
  change.input.resize(change.place());
  change.input += other.substr(change.random.below(other.size() + 1));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A number of the text becomes one at which programs break, or its neighbour.
void change_number(const Change& change) {
  constexpr std::array<std::string_view, 16> numbers = {"0",
                                                        "1",
                                                        "2",
                                                        "9",
                                                        "10",
                                                        "60",
                                                        "99",
                                                        "007",
                                                        "65535",
                                                        "65536",
                                                        "2147483647",
                                                        "2147483648",
                                                        "4294967295",
                                                        "4294967296",
                                                        "9223372036854775807",
                                                        "18446744073709551616"};
  const std::size_t from = change.place();
  const auto found = std::find_if(change.input.begin() + static_cast<std::ptrdiff_t>(from),
                                  change.input.end(), is_digit);
  if (found == change.input.end()) return;
  const auto end = std::find_if_not(found, change.input.end(), is_digit);
  if (change.random.below(2) == 0) {
    *(end - 1) = static_cast<char>('0' + change.random.below(10));
    return;
  }
  change.input.replace(found, end, numbers[change.random.below(numbers.size())]);
}

void swap_case(const Change& change) {
  if (change.input.empty()) return;
  char& c = change.input[change.random.below(change.input.size())];
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) c = static_cast<char>(c ^ 0x20);
}

constexpr std::array mutations = {flip_bit, set_byte,      insert_bytes,  erase_bytes,
                                  cut_off,  insert_word,   insert_word,   repeat_part,
                                  splice,   change_number, change_number, swap_case};

}  // namespace

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31);
}

std::string make_input(const Corpus& corpus, InputId id) {
  if (id.number < corpus.inputs.size()) return corpus.inputs[id.number];
  Random random(Random(id.seed).next() ^ id.number);
  std::string input = corpus.inputs[random.below(corpus.inputs.size())];
  // Few changes keep an input near what is valid; many reach what nobody thought of.
  const std::uint64_t changes = 1 + random.below(random.below(8) == 0 ? 32 : 4);
  for (std::uint64_t i = 0; i < changes; ++i)
    mutations[random.below(mutations.size())](Change{input, corpus, random});
  input.resize(std::min(input.size(), input_bytes_max));
  return input;
}

}  // namespace sluice::fuzz
