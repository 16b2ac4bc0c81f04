// config_keys.h: THE table of slurm.conf's keys: what each is to Sluice and, for the honoured ones,
// how its value gets into ClusterConfig. A new key is one row. Records (NodeName, PartitionName,
// NodeSet) have tables of the same form in config_records.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/model/config.h"
#include "common/options/text.h"

namespace sluice {

enum class KeyUse {
  honoured,
  honoured_in_own_file,  // names a place that a running Slurm uses: taken only from Sluice's own file
  ignored,               // without effect here, and nothing is lost by that: not worth a warning
  unsupported,           // has an effect in Slurm that is missing here: reported once
  refused,               // going on would do something else than the file says
};

// One key of a line: of the file itself, or of a record's line. `Target` is what a value goes into.
template <class Target>
struct KeyRow {
  std::string_view name;
  KeyUse use;
  std::string_view why;  // of every use but honoured
  // Error: config_invalid with the text without file and line. Null unless honoured.
  Result<void> (*apply)(Target& target, const std::string& value) = nullptr;
};

struct KeyContext {
  ClusterConfig& config;
  std::vector<std::string>& notes;  // warnings about this value, without file and line
};

using ConfigKey = KeyRow<KeyContext>;

// All keys that stand outside of records.
std::span<const ConfigKey> config_keys();

// The row of a key, ignoring case; null when `rows` has none.
template <class Target>
const KeyRow<Target>* find_key(std::span<const KeyRow<Target>> rows, std::string_view name) {
  for (const KeyRow<Target>& row : rows)
    if (equals_ignoring_case(row.name, name)) return &row;
  return nullptr;
}

}  // namespace sluice
