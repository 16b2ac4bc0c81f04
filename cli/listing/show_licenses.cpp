// show_licenses.cpp: the records of `scontrol show licenses`, as text and as a document.
#include <algorithm>

#include <fmt/format.h>

#include "cli/listing/records.h"
#include "cli/listing/show_text.h"

namespace sluice {
namespace {

struct LicenseUse {
  std::string name;
  std::uint32_t total = 0;
  std::uint32_t used = 0;

  std::uint32_t free() const { return total > used ? total - used : 0; }
};

std::vector<LicenseUse> uses_of(const ConfigReply& reply, const std::string& name) {
  std::vector<LicenseUse> uses;
  for (const LicenseCount& license : reply.config.licenses)
    if (name.empty() || license.name == name)
      uses.push_back({license.name, license.count, count_of(reply.licenses_used, license.name)});
  std::sort(uses.begin(), uses.end(),
            [](const LicenseUse& a, const LicenseUse& b) { return a.name < b.name; });
  return uses;
}

}  // namespace

std::string show_licenses_text(const ConfigReply& reply, const std::string& name,
                               const ShowStyle& style) {
  std::string out;
  for (const LicenseUse& use : uses_of(reply, name))
    out += fmt::format("LicenseName={}{}Total={} Used={} Free={} Reserved=0 Remote=no\n", use.name,
                       style.one_line ? " " : "\n    ", use.total, use.used, use.free());
  return out;
}

std::size_t write_license_records(Document& document, const ConfigReply& reply,
                                  const std::string& name) {
  const std::vector<LicenseUse> uses = uses_of(reply, name);
  for (const LicenseUse& use : uses) {
    document.begin_object();
    document.text("LicenseName", use.name);
    document.number("Total", use.total);
    document.number("Used", use.used);
    document.number("Free", use.free());
    document.flag("Remote", false);
    document.number("Reserved", 0);
    document.end_object();
  }
  return uses.size();
}

}  // namespace sluice
