// texts.h: the prose of the man pages, one file a page. Options are not named here: their tables
// (common/options/manual.h) write them.
#pragma once

#include "common/options/manual.h"

namespace sluice {

ManualText sacct_text();
ManualText sacctmgr_text();
ManualText sbatch_text();
ManualText scancel_text();
ManualText scontrol_text();
ManualText sdiag_text();
ManualText sinfo_text();
ManualText sluice_text();
ManualText sprio_text();
ManualText squeue_text();
ManualText sreport_text();
ManualText sshare_text();

// What all commands have in common, to be put behind a page's own text.
std::string document_section();  // of commands with --json and --yaml
std::string common_environment();
std::string common_exit_status();

}  // namespace sluice
