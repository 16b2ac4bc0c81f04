// config_text.cpp: one pass over the bytes of a file; an include is read where it stands.
#include "common/options/config_text.h"

#include <fmt/format.h>
#include <strings.h>

#include "common/options/config_io.h"

namespace sluice {
namespace {

constexpr int include_depth_max = 16;

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string{"."} : path.substr(0, slash);
}

// Reads one file; includes are read by a reader of their own into the same lines.
class Reader {
 public:
  Reader(const std::string& text, std::string path, std::string folder, int depth,
         std::vector<ConfigLine>& lines)
      : text_(text), path_(std::move(path)), folder_(std::move(folder)), depth_(depth),
        lines_(lines) {}

  Result<void> read() {
    while (at_ < text_.size()) TRY(read_line());
    return {};
  }

 private:
  ConfigPlace here() const { return {path_, line_}; }
  bool at_end() const { return at_ >= text_.size(); }
  bool at_line_end() const { return at_end() || text_[at_] == '\n'; }

  // Length of a '\' with its line end at the cursor (blanks between are forgiven); 0: none.
  std::size_t continuation() const {
    if (at_end() || text_[at_] != '\\') return 0;
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_blank(text_[end])) ++end;
    return end < text_.size() && text_[end] == '\n' ? end + 1 - at_ : 0;
  }

  void skip_blanks() {
    while (!at_end()) {
      if (const std::size_t length = continuation()) {
        at_ += length;
        ++line_;
      } else if (text_[at_] == '#') {
        while (!at_line_end()) ++at_;
      } else if (is_blank(text_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
  }

  Result<void> read_line() {
    ConfigLine line;
    for (skip_blanks(); !at_line_end(); skip_blanks()) {
      ConfigWord word{read_bare("="), {}, here()};
      skip_blanks();
      if (line.empty() && strcasecmp(word.key.c_str(), "include") == 0 &&
          (at_line_end() || text_[at_] != '='))
        return read_include(word.place);
      if (at_line_end() || text_[at_] != '=')
        return config_error(word.place,
                            fmt::format("stray word '{}', expected Key=Value", word.key));
      TRY(check_key(word));
      ++at_;
      skip_blanks();
      word.value = TRY(read_value());
      line.push_back(std::move(word));
    }
    if (!line.empty()) lines_.push_back(std::move(line));
    end_line();
    return {};
  }

  void end_line() {
    if (at_end()) return;
    ++at_;
    ++line_;
  }

  static Result<void> check_key(const ConfigWord& word) {
    if (word.key.empty()) return config_error(word.place, "'=' without a key in front of it");
    if (std::string_view{"+-*/"}.find(word.key.back()) != std::string_view::npos)
      return config_error(word.place, fmt::format("'{}=' is not supported, write '{}='", word.key,
                                                  word.key.substr(0, word.key.size() - 1)));
    return {};
  }

  // Up to a blank, the line's end, a comment or one of `stops`.
  std::string read_bare(std::string_view stops) {
    std::string out;
    while (!at_line_end() && !is_blank(text_[at_]) && text_[at_] != '#' && continuation() == 0 &&
           stops.find(text_[at_]) == std::string_view::npos) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '#') ++at_;
      out.push_back(text_[at_++]);
    }
    return out;
  }

  Result<std::string> read_value() {
    if (at_line_end() || text_[at_] != '"') return read_bare("");
    const ConfigPlace opened = here();
    std::string out;
    for (++at_; !at_line_end() && text_[at_] != '"';) {
      if (const std::size_t length = continuation()) {
        at_ += length;
        ++line_;
      } else {
        out.push_back(text_[at_++]);
      }
    }
    if (at_line_end()) return config_error(opened, "a quoted value is not closed");
    ++at_;
    return out;
  }

  Result<void> read_include(const ConfigPlace& place) {
    std::string path = TRY(read_value());
    skip_blanks();
    if (path.empty()) return config_error(place, "Include without a path");
    if (!at_line_end()) return config_error(place, "Include takes one path");
    if (depth_ >= include_depth_max)
      return config_error(place, fmt::format("more than {} files include one another",
                                             include_depth_max));
    if (path.front() != '/') path = folder_ + "/" + path;
    const Result<std::string> text = read_config_bytes(path);
    if (!text) return config_error(place, "Include " + text.error().detail);
    TRY(Reader(*text, path, folder_, depth_ + 1, lines_).read());
    end_line();
    return {};
  }

  const std::string& text_;
  std::string path_;
  std::string folder_;
  int depth_;
  std::vector<ConfigLine>& lines_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::string to_text(const ConfigPlace& place) {
  return fmt::format("{}:{}", place.file, place.line);
}

Error config_error(const ConfigPlace& place, const std::string& text) {
  return Error{ErrorCode::config_invalid, to_text(place) + ": " + text};
}

Result<std::vector<ConfigLine>> read_config_lines(const std::string& path) {
  return parse_config_lines(TRY(read_config_bytes(path)), path);
}

Result<std::vector<ConfigLine>> parse_config_lines(const std::string& text,
                                                   const std::string& path) {
  std::vector<ConfigLine> lines;
  TRY(Reader(text, path, folder_of(path), 0, lines).read());
  return lines;
}

}  // namespace sluice
