// show_reservation.cpp: reservations as records of `scontrol show reservation`, as documents, and
// as the table of `sinfo -T`.
#include <algorithm>

#include <fmt/format.h>

#include "cli/listing/record_field.h"
#include "cli/listing/records.h"
#include "cli/listing/show_text.h"
#include "common/base/hostlist.h"

namespace sluice {
namespace {

std::string or_null(std::string text) { return text.empty() ? "(null)" : text; }

std::string list_text(const ReservedFor& list) {
  std::string text;
  for (const std::string& name : list.names)
    text.append(text.empty() ? "" : ",").append(list.is_negated ? "-" : "").append(name);
  return text;
}

std::string long_seconds(std::int64_t seconds) {
  std::string text;
  append_long_duration(seconds, text);
  return text;
}

std::string flag_text(const Reservation& reservation, ReservationFlag flag) {
  if (flag != ReservationFlag::PURGE_COMP || !reservation.purge_comp_s) return enum_name(flag);
  return fmt::format("PURGE_COMP={}", long_seconds(*reservation.purge_comp_s));
}

std::vector<std::string> flag_texts(const Reservation& reservation) {
  std::vector<std::string> texts;
  for (ReservationFlag flag : reservation.flags) texts.push_back(flag_text(reservation, flag));
  return texts;
}

std::string licenses_text(const Reservation& reservation) {
  return reservation.licenses.empty() ? "" : to_text(reservation.licenses);
}

std::string tres_text(const ReservationInfo& info) {
  std::string text = info.cpus > 0 ? fmt::format("cpu={}", info.cpus) : "";
  for (const LicenseCount& license : info.reservation.licenses)
    text += fmt::format("{}license/{}={}", text.empty() ? "" : ",", license.name, license.count);
  return text;
}

std::int64_t duration_s(const Reservation& reservation) {
  return to_seconds(reservation.window.end) - to_seconds(reservation.window.start);
}

const char* state_text(const Reservation& reservation, WallTime as_of) {
  const ReservedWindow& window = reservation.window;
  return window.start <= as_of && as_of < window.end ? "ACTIVE" : "INACTIVE";
}

using Info = ReservationInfo;
using Context = ListingContext;

// --- the members of a document -------------------------------------------------------------------

template <auto Text>
void text_of(Document& out, std::string_view name, const Info& info, const Context&) {
  out.text(name, Text(info.reservation));
}
template <auto Number>
void number_of(Document& out, std::string_view name, const Info& info, const Context&) {
  out.number(name, Number(info));
}
template <auto ReservedWindow::*Member>
void time_of(Document& out, std::string_view name, const Info& info, const Context&) {
  out.amount(name, seconds_or_none(info.reservation.window.*Member));
}
void no_value(Document& out, std::string_view name, const Info&, const Context&) { out.null(name); }
void write_flags(Document& out, std::string_view name, const Info& info, const Context&) {
  out.words(name, flag_texts(info.reservation));
}
void write_purge(Document& out, std::string_view name, const Info& info, const Context&) {
  out.begin_object(name);
  out.amount("time", info.reservation.purge_comp_s);
  out.end_object();
}
void write_tres(Document& out, std::string_view name, const Info& info, const Context&) {
  out.text(name, tres_text(info));
}
void write_state(Document& out, std::string_view name, const Info& info, const Context& context) {
  out.text(name, state_text(info.reservation, context.as_of));
}

constexpr RecordField<Info> fields[] = {
    {"accounts", text_of<[](const Reservation& r) { return list_text(r.accounts); }>},
    {"burst_buffer", no_value},
    {"core_count", number_of<[](const Info& info) { return info.cores; }>},
    {"end_time", time_of<&ReservedWindow::end>},
    {"features", text_of<[](const Reservation& r) { return r.features; }>},
    {"flags", write_flags},
    {"groups", text_of<[](const Reservation& r) { return list_text(r.groups); }>},
    {"licenses", text_of<licenses_text>},
    {"max_start_delay",
     number_of<[](const Info& info) { return info.reservation.max_start_delay_s; }>},
    {"name", text_of<[](const Reservation& r) { return r.name; }>},
    {"node_count", number_of<[](const Info& info) { return info.reservation.nodes.size(); }>},
    {"node_list", text_of<[](const Reservation& r) { return compress_hostlist(r.nodes); }>},
    {"partition", text_of<[](const Reservation& r) { return r.partition; }>},
    {"allowed_partitions",
     text_of<[](const Reservation& r) { return list_text(r.allowed_partitions); }>},
    {"purge_completed", write_purge},
    {"start_time", time_of<&ReservedWindow::start>},
    {"state", write_state},
    {"watts", no_value},
    {"tres", write_tres},
    {"users", text_of<[](const Reservation& r) { return list_text(r.users); }>},
};

}  // namespace

std::string show_reservation_text(const ReservationInfo& info, const ShowStyle& style,
                                  const ListingContext& context) {
  const Reservation& reservation = info.reservation;
  const std::vector<std::string> flags = flag_texts(reservation);
  std::vector<std::string> lines;
  lines.push_back(fmt::format("ReservationName={} StartTime={} EndTime={} Duration={}",
                              reservation.name, context.times.text(reservation.window.start),
                              context.times.text(reservation.window.end),
                              long_seconds(duration_s(reservation))));
  lines.push_back(fmt::format(
      "Nodes={} NodeCnt={} CoreCnt={} Features={} PartitionName={} Flags={}",
      or_null(compress_hostlist(reservation.nodes)), reservation.nodes.size(), info.cores,
      or_null(reservation.features), or_null(reservation.partition), fmt::join(flags, ",")));
  lines.push_back("TRES=" + or_null(tres_text(info)));
  lines.push_back(fmt::format(
      "Users={} Groups={} Accounts={} Licenses={} State={} BurstBuffer=(null) Watts=n/a",
      or_null(list_text(reservation.users)), or_null(list_text(reservation.groups)),
      or_null(list_text(reservation.accounts)), or_null(licenses_text(reservation)),
      state_text(reservation, context.as_of)));
  const std::uint32_t delay_s = reservation.max_start_delay_s;
  lines.push_back("MaxStartDelay=" + (delay_s > 0 ? long_seconds(delay_s) : "(null)"));
  if (!reservation.allowed_partitions.names.empty())
    lines.push_back("AllowedPartitions=" + list_text(reservation.allowed_partitions));
  return record_text(lines, style);
}

std::string reservation_table(const ReservationsReply& reply, bool has_heading,
                              const ListingContext& context) {
  std::size_t width = std::string_view("RESV_NAME").size();
  for (const ReservationInfo& info : reply.reservations)
    width = std::max(width, info.reservation.name.size());
  std::string out;
  const auto add = [&](std::string_view name, std::string_view state, std::string_view start,
                       std::string_view end, std::string_view length, std::string_view nodes) {
    out += fmt::format("{:<{}}  {:>8}  {:>19}  {:>19}  {:>11}  {}\n", name, width, state, start,
                       end, length, nodes);
  };
  if (has_heading) add("RESV_NAME", "STATE", "START_TIME", "END_TIME", "DURATION", "NODELIST");
  for (const ReservationInfo& info : reply.reservations) {
    const Reservation& reservation = info.reservation;
    add(reservation.name, state_text(reservation, reply.as_of),
        context.times.text(reservation.window.start), context.times.text(reservation.window.end),
        long_seconds(duration_s(reservation)), compress_hostlist(reservation.nodes));
  }
  return out;
}

void write_reservation_record(Document& document, const ReservationInfo& info,
                              const ListingContext& context) {
  document.begin_object();
  write_fields<ReservationInfo>(fields, document, info, context);
  document.end_object();
}

}  // namespace sluice
