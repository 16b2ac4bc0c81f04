// arguments.h: reads the command lines of the daemons and of `sluice`'s own programs, by CLI11,
// whose heavy header only arguments.cpp includes. Commands with Slurm's names read theirs by getopt
// (common/options), because its exact texts are part of their contract.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/options/manual.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sluice {

struct ArgumentRules {
  bool is_required = false;
  bool shows_default = false;  // in --help and the man page
  std::uint32_t least = 0;     // of a number
  std::optional<std::uint32_t> most = {};
  std::vector<std::string> words = {};  // what a text may be; empty: anything
};

// What a line may say, and where it goes. The variables must outlive parse(); one that is not said
// keeps its value. Names are as in "-f,--config"; without dashes it is a word of the line ("FILE").
class Arguments {
 public:
  // `name` is what users type.
  Arguments(const std::string& name, const std::string& summary);

  void option(const std::string& names, std::string& to, const std::string& help,
              const ArgumentRules& rules = {});
  void option(const std::string& names, std::uint32_t& to, const std::string& help,
              const ArgumentRules& rules = {});
  void option(const std::string& names, std::size_t& to, const std::string& help,
              const ArgumentRules& rules = {});
  void option(const std::string& names, std::optional<std::size_t>& to, const std::string& help,
              const ArgumentRules& rules = {});
  void flag(const std::string& names, bool& to, const std::string& help);

  // Of -V, --version.
  void version(const std::string& text);
  // Below the options in --help.
  void footer(const std::string& text);
  // Of the hidden flag --man, which the build calls: this prose, and all options and verbs.
  void manual(const ManualText& text);
  // `sluice dev up`: the line must say one of the verbs; `chosen` is called for it by parse().
  Arguments verb(const std::string& name, const std::string& summary, std::function<void()> chosen);

  // Ends the program where the line asks for a text (--help, --version, --man; exit code 0) or is
  // wrong (a line on standard error says how).
  void parse(int argc, char** argv);

 private:
  explicit Arguments(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}

  std::shared_ptr<CLI::App> app_;
};

}  // namespace sluice
