// show_licenses.cpp: the records of `scontrol show licenses`.
#include <algorithm>

#include <fmt/format.h>

#include "cli/listing/show_text.h"

namespace sluice {

std::string show_licenses_text(const ConfigReply& reply, const std::string& name,
                               const ShowStyle& style) {
  std::vector<LicenseCount> licenses = reply.config.licenses;
  std::sort(licenses.begin(), licenses.end(),
            [](const LicenseCount& a, const LicenseCount& b) { return a.name < b.name; });
  std::string out;
  for (const LicenseCount& license : licenses) {
    if (!name.empty() && license.name != name) continue;
    const std::uint32_t used = count_of(reply.licenses_used, license.name);
    const std::uint32_t free = license.count > used ? license.count - used : 0;
    out += fmt::format("LicenseName={}{}Total={} Used={} Free={} Reserved=0 Remote=no\n",
                       license.name, style.one_line ? " " : "\n    ", license.count, used, free);
  }
  return out;
}

}  // namespace sluice
