// licenses.cpp: reading, printing and adding up.
#include "common/model/licenses.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace sluice {
namespace {

Error invalid(std::string_view element) {
  return Error{
      ErrorCode::invalid_license,
      fmt::format("\"{}\" is neither NAME nor NAME:COUNT, several divided by commas", element)};
}

bool is_name(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '@';
  });
}

Result<LicenseCount> parse_element(std::string_view element) {
  const std::size_t colon = element.find(':');
  LicenseCount license{std::string(element.substr(0, colon)), 1};
  if (!is_name(license.name)) return invalid(element);
  if (colon == std::string_view::npos) return license;
  const std::string_view digits = element.substr(colon + 1);
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), license.count);
  if (problem != std::errc{} || end != digits.data() + digits.size()) return invalid(element);
  return license;
}

auto find(std::vector<LicenseCount>& licenses, const std::string& name) {
  return std::find_if(licenses.begin(), licenses.end(),
                      [&](const LicenseCount& license) { return license.name == name; });
}

}  // namespace

Result<std::vector<LicenseCount>> parse_licenses(std::string_view text) {
  std::vector<LicenseCount> licenses;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const LicenseCount license = TRY(parse_element(rest.substr(0, comma)));
    const std::uint64_t sum = std::uint64_t{count_of(licenses, license.name)} + license.count;
    if (sum > std::numeric_limits<std::uint32_t>::max()) return invalid(text);
    if (license.count > 0) add_licenses(licenses, {license});
    if (comma == std::string_view::npos) return licenses;
    rest.remove_prefix(comma + 1);
  }
}

std::string to_text(const std::vector<LicenseCount>& licenses) {
  std::string text;
  for (const LicenseCount& license : licenses)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", license.name, license.count);
  return text;
}

std::uint32_t count_of(const std::vector<LicenseCount>& licenses, std::string_view name) {
  for (const LicenseCount& license : licenses)
    if (license.name == name) return license.count;
  return 0;
}

void add_licenses(std::vector<LicenseCount>& to, const std::vector<LicenseCount>& more) {
  for (const LicenseCount& license : more) {
    auto at = find(to, license.name);
    if (at == to.end()) to.push_back(license);
    else at->count += license.count;
  }
}

void subtract_licenses(std::vector<LicenseCount>& from, const std::vector<LicenseCount>& less) {
  for (const LicenseCount& license : less) {
    auto at = find(from, license.name);
    ASSERT(at != from.end() && at->count >= license.count);
    at->count -= license.count;
    if (at->count == 0) from.erase(at);
  }
}

}  // namespace sluice
