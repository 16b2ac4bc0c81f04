// manuals.h: the man pages of the commands: the prose of cli/manual with what the tables of the
// commands say. A new command is one row in manuals.cpp.
#pragma once

#include <vector>

#include "common/options/manual.h"

namespace sluice {

struct Manual {
  ManualText text;
  std::vector<OptionGroup> options;
};

std::vector<Manual> manuals();

// The rows of each command's option table.
std::vector<ManualOption> sacct_options();
std::vector<ManualOption> sacctmgr_options();
std::vector<ManualOption> scontrol_options();
std::vector<ManualOption> sdiag_options();
std::vector<ManualOption> sinfo_options();
std::vector<ManualOption> sprio_options();
std::vector<ManualOption> squeue_options();
std::vector<ManualOption> sreport_options();
std::vector<ManualOption> sshare_options();

// The keywords of scontrol, as a page's list.
std::string scontrol_keyword_lines();
// The reports of sreport, the same.
std::string sreport_report_lines();
// The verbs of sacctmgr, the same.
std::string sacctmgr_verb_lines();

}  // namespace sluice
