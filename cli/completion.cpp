// completion.cpp: one bash function for all commands, and a list of words for each.
#include "cli/completion.h"

#include <fmt/format.h>

#include "cli/admin.h"
#include "cli/command.h"

namespace sluice {
namespace {

constexpr std::string_view functions =
    R"_(# Completion of Sluice's commands for bash, made by `sluice --completion bash`.
_sluice_options() {
  local IFS=$' \n'
  COMPREPLY=($(compgen -W "$1" -- "$2"))
  [[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} = *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
_sluice_of() {
  case $1 in
)_";

constexpr std::string_view rest = R"_(  esac
}
_sluice_command() {
  COMPREPLY=()
  [[ $2 = -* ]] && _sluice_options "$(_sluice_of "${1##*/}")" "$2"
  return 0
}
_sluice_verb() {
  COMPREPLY=()
  if [[ $COMP_CWORD = 1 ]]; then _sluice_options "$_sluice_verbs" "$2"
  elif [[ ${COMP_WORDS[1]} = admin && $COMP_CWORD = 2 ]]; then _sluice_options "$_sluice_admin" "$2"
  elif [[ ${COMP_WORDS[1]} = admin ]]; then _sluice_command "admin-${COMP_WORDS[2]}" "$2"
  else _sluice_command "${COMP_WORDS[1]}" "$2"; fi
}
complete -o default -F _sluice_verb sluice
)_";

void add_words(const std::vector<ManualOption>& options, std::string& words) {
  for (const ManualOption& option : options)
    if (option.honoured)
      words += fmt::format("{}--{}{}", words.empty() ? "" : " ", option.name,
                           option.argument == ArgumentKind::required ? "=" : "");
}

std::string words_of(const Manual& manual) {
  std::string words;
  for (const OptionGroup& group : manual.options) add_words(group.options, words);
  return words;
}

// "sbatch" and "submit" are one command.
std::string names_of(std::string_view slurm_name) {
  for (const CommandRow& row : commands())
    if (row.slurm_name && slurm_name == row.slurm_name && slurm_name != row.verb)
      return fmt::format("{}|{}", slurm_name, row.verb);
  return std::string(slurm_name);
}

}  // namespace

std::string bash_completion(const std::vector<Manual>& manuals) {
  std::string out{functions};
  for (const Manual& manual : manuals)
    out += fmt::format("    {}) echo '{}' ;;\n", names_of(manual.text.name), words_of(manual));
  std::string admin_verbs_text;
  for (const AdminVerb& verb : admin_verbs()) {
    std::string words;
    add_words(verb.options(), words);
    out += fmt::format("    admin-{}) echo '{}' ;;\n", verb.name, words);
    admin_verbs_text += fmt::format("{}{}", admin_verbs_text.empty() ? "" : " ", verb.name);
  }
  out += rest;
  std::string verbs, links;
  for (const CommandRow& row : commands()) {
    verbs += fmt::format("{} ", row.verb);
    if (row.slurm_name) links += fmt::format(" {}", row.slurm_name);
  }
  return out + fmt::format(
                   "_sluice_verbs='{}dev'\n_sluice_admin='{}'\n"
                   "complete -o default -F _sluice_command{}\n",
                   verbs, admin_verbs_text, links);
}

}  // namespace sluice
