// record_field.h: a member of a record: its name and what writes its value. Tables of these are the
// schemas.
#pragma once

#include <span>
#include <string_view>

#include "cli/listing/context.h"
#include "cli/listing/document.h"

namespace sluice {

template <class Record>
struct RecordField {
  const char* name;
  void (*write)(Document&, std::string_view name, const Record&, const ListingContext&);
};

template <class Record>
void write_fields(std::span<const RecordField<Record>> fields, Document& document,
                  const Record& record, const ListingContext& context) {
  for (const RecordField<Record>& field : fields)
    field.write(document, field.name, record, context);
}

// What there is no value for.
template <class Record>
void no_value(Document& document, std::string_view name, const Record&, const ListingContext&) {
  document.null(name);
}
template <class Record>
void no_elements(Document& document, std::string_view name, const Record&, const ListingContext&) {
  document.words(name, {});
}

inline std::optional<std::uint64_t> seconds_or_none(std::optional<WallTime> time) {
  if (!time || *time == WallTime{}) return std::nullopt;
  return static_cast<std::uint64_t>(to_seconds(*time));
}

}  // namespace sluice
