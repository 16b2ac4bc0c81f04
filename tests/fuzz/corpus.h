// corpus.h: what a target's inputs are made from: whole good inputs (corpus/TARGET/*) and words of
// its grammar (words/TARGET.dict, in libFuzzer's form).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace sluice::fuzz {

struct Corpus {
  std::vector<std::string> inputs;  // never empty; in the order of the files' names
  std::vector<std::string> words;
};

// `folder` holds corpus/ and words/. A target without files begins with an empty input. Errors:
// io_error; invalid_argument for a line of a dictionary that cannot be read.
Result<Corpus> load_corpus(const std::string& folder, std::string_view target);

// Lines `"bytes"` with \\, \" and \xHH; name="bytes" too; # begins a remark. Errors: as above.
Result<std::vector<std::string>> parse_dictionary(std::string_view text, std::string_view file);

}  // namespace sluice::fuzz
