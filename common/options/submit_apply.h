// submit_apply.h: what each option does to a SubmitRequest. Only the table's file includes this.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/options/grammar.h"
#include "common/options/submit_request.h"
#include "common/options/text.h"

namespace sluice::apply {

// A positive count without suffix. Errors: invalid_number.
inline Result<std::uint32_t> positive(const OptionValue& value) {
  const auto number = parse_number(value.text);
  if (!number || *number == 0 || *number >= std::numeric_limits<std::uint32_t>::max())
    return Error{ErrorCode::invalid_number, ""};
  return static_cast<std::uint32_t>(*number);
}

template <auto Member>
Result<void> count(SubmitRequest& request, const OptionValue& value) {
  request.spec.request.*Member = TRY(positive(value));
  return {};
}
template <auto Member>
Result<void> spec_text(SubmitRequest& request, const OptionValue& value) {
  request.spec.*Member = value.text;
  return {};
}
template <auto Member>
Result<void> file(SubmitRequest& request, const OptionValue& value) {
  request.spec.stdio_files.*Member = value.text;
  return {};
}
Result<WallTime> point_in_time(SubmitRequest& request, const OptionValue& value);
template <auto Member>
Result<void> time_point(SubmitRequest& request, const OptionValue& value) {
  request.spec.start.*Member = TRY(point_in_time(request, value));
  return {};
}
template <auto Member>
Result<void> limit(SubmitRequest& request, const OptionValue& value) {
  request.spec.start.*Member = TRY(parse_time_limit(value.text));
  return {};
}
template <auto Member>
Result<void> memory(SubmitRequest& request, const OptionValue& value) {
  request.spec.request.*Member = TRY(parse_memory_mb(value.text));
  return {};
}
// "2", "a100:2", "a100:1,v100:1".
Result<std::vector<GresCount>> parse_gpus(const std::string& text);
template <auto Member>
Result<void> gpus(SubmitRequest& request, const OptionValue& value) {
  request.spec.request.*Member = TRY(parse_gpus(value.text));
  return {};
}
// Of SubmitRequest itself.
template <auto Member>
Result<void> flag(SubmitRequest& request, const OptionValue&) {
  request.*Member = true;
  return {};
}
template <auto Member>
Result<void> text(SubmitRequest& request, const OptionValue& value) {
  request.*Member = value.text;
  return {};
}
template <bool Requeue>
Result<void> requeue(SubmitRequest& request, const OptionValue&) {
  request.spec.start.requeue = Requeue;
  return {};
}

Result<void> array(SubmitRequest& request, const OptionValue& value);
Result<void> constraint(SubmitRequest& request, const OptionValue& value);
Result<void> dependency(SubmitRequest& request, const OptionValue& value);
Result<void> exclude(SubmitRequest& request, const OptionValue& value);
Result<void> exclusive(SubmitRequest& request, const OptionValue& value);
Result<void> export_list(SubmitRequest& request, const OptionValue& value);
Result<void> gpus_per_node(SubmitRequest& request, const OptionValue& value);
Result<void> gres(SubmitRequest& request, const OptionValue& value);
Result<void> hold(SubmitRequest& request, const OptionValue& value);
Result<void> licenses(SubmitRequest& request, const OptionValue& value);
Result<void> nodefile(SubmitRequest& request, const OptionValue& value);
Result<void> oversubscribe(SubmitRequest& request, const OptionValue& value);
Result<void> kill_on_invalid_dependency(SubmitRequest& request, const OptionValue& value);
Result<void> login_environment(SubmitRequest& request, const OptionValue& value);
Result<void> mail_type(SubmitRequest& request, const OptionValue& value);
Result<void> mail_user(SubmitRequest& request, const OptionValue& value);
Result<void> nice(SubmitRequest& request, const OptionValue& value);
Result<void> nodelist(SubmitRequest& request, const OptionValue& value);
Result<void> nodes(SubmitRequest& request, const OptionValue& value);
Result<void> open_mode(SubmitRequest& request, const OptionValue& value);
Result<void> partition(SubmitRequest& request, const OptionValue& value);
Result<void> priority(SubmitRequest& request, const OptionValue& value);
Result<void> propagate(SubmitRequest& request, const OptionValue& value);
Result<void> reservation(SubmitRequest& request, const OptionValue& value);
Result<void> signal(SubmitRequest& request, const OptionValue& value);
Result<void> verbose(SubmitRequest& request, const OptionValue& value);
Result<void> hint(SubmitRequest& request, const OptionValue& value);
Result<void> wait_all_nodes(SubmitRequest& request, const OptionValue& value);

}  // namespace sluice::apply
