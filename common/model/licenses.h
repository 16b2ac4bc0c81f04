// licenses.h: licences: counts the site gives out over the whole cluster, "lica:10,licb:5". One
// grammar for the configuration and for jobs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/describe.h"
#include "common/base/result.h"

namespace sluice {

struct LicenseCount {
  std::string name;
  std::uint32_t count = 1;

  bool operator==(const LicenseCount&) const = default;
};
BOOST_DESCRIBE_STRUCT(LicenseCount, (), (name, count))

// NAME or NAME:COUNT, several divided by commas, in the order given; a name that comes again adds
// up. Errors: invalid_license.
Result<std::vector<LicenseCount>> parse_licenses(std::string_view text);
// "lica:10,licb:5".
std::string to_text(const std::vector<LicenseCount>& licenses);

// 0 where the list does not name it.
std::uint32_t count_of(const std::vector<LicenseCount>& licenses, std::string_view name);
void add_licenses(std::vector<LicenseCount>& to, const std::vector<LicenseCount>& more);
// They must be there.
void subtract_licenses(std::vector<LicenseCount>& from, const std::vector<LicenseCount>& less);

}  // namespace sluice
