// commands.cpp: THE table of commands.
#include "cli/command.h"

namespace sluice {
namespace {

constexpr CommandRow rows[] = {
    {"submit", "sbatch", run_sbatch, "submit a batch script"},
    {"admin", nullptr, run_admin, "back up, restore and purge the controller's state"},
    {"squeue", "squeue", run_squeue, "the queue of jobs"},
    {"sinfo", "sinfo", run_sinfo, "partitions and nodes"},
    {"scontrol", "scontrol", run_scontrol, "look at and change jobs, nodes and the controller"},
    {"sacct", "sacct", run_sacct, "jobs of the past and what they used"},
    {"sacctmgr", "sacctmgr", run_sacctmgr, "look at and change accounts, users and QOS"},
    {"sprio", "sprio", run_sprio, "what the priorities of waiting jobs are made of"},
    {"sshare", "sshare", run_sshare, "the tree of shares, and who used how much"},
    {"sreport", "sreport", run_sreport, "past use, summed up by account and user"},
    {"sdiag", "sdiag", run_sdiag, "what the controller did, in numbers"},
    {"status", nullptr, run_status, "the cluster and your jobs; also `sluice` alone"},
    {"why", nullptr, run_why, "why a job waits, or how it ended"},
    {"plan", nullptr, run_plan, "when and where a script's job would start; submits nothing"},
    {"watch", nullptr, run_watch, "what happens, as it happens: one JSON object a line"},
    {"report", nullptr, run_report, "waits, use and waste, summed up over past jobs"},
    {"doctor", nullptr, run_doctor, "look for what is wrong here, and tell the remedy"},
    {"simulate", nullptr, run_simulate, "replay a trace of jobs through the planner"},
    {"cancel", "scancel", run_scancel, "end or signal jobs"},
    {"ping", nullptr, run_ping, "ask whether the controller is there"},
};

}  // namespace

std::span<const CommandRow> commands() { return rows; }

}  // namespace sluice
