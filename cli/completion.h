// completion.h: the options of all commands for the completion of a shell. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/manuals.h"

namespace sluice {

// To be read by bash (eval or a file of /etc/bash_completion.d). Long options are completed, those
// that take a value up to their "="; what is no option is completed as a file. Behind `sluice`
// stand verbs.
std::string bash_completion(const std::vector<Manual>& manuals);

}  // namespace sluice
