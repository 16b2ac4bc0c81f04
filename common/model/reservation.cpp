// reservation.cpp: when windows recur, and whom a reservation lets in.
#include "common/model/reservation.h"

#include <algorithm>

#include "common/base/local_time.h"

namespace sluice {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool any_day(int) { return true; }
bool is_weekend(int weekday) { return weekday == 0 || weekday == 6; }
bool is_weekday(int weekday) { return !is_weekend(weekday); }

struct Recurrence {
  ReservationFlag flag;
  int days;                       // at least, from one window to the next
  bool (*falls_on)(int weekday);  // 0: Sunday
};
constexpr Recurrence recurrences[] = {
    {ReservationFlag::HOURLY, 0, any_day},     {ReservationFlag::DAILY, 1, any_day},
    {ReservationFlag::WEEKDAY, 1, is_weekday}, {ReservationFlag::WEEKEND, 1, is_weekend},
    {ReservationFlag::WEEKLY, 7, any_day},
};

const Recurrence* recurrence_of(const Reservation& reservation) {
  for (const Recurrence& row : recurrences)
    if (has_flag(reservation, row.flag)) return &row;
  return nullptr;
}

WallTime wall_of(std::int64_t seconds) { return wall_from_us(seconds * 1'000'000); }

// The time of day that `like` shows, on that date.
WallTime on_date(const LocalDate& date, WallTime like) {
  return wall_of(seconds_of(date, clock_of(to_seconds(like))).value_or(to_seconds(like)));
}

}  // namespace

bool has_flag(const Reservation& reservation, ReservationFlag flag) {
  return std::find(reservation.flags.begin(), reservation.flags.end(), flag) !=
         reservation.flags.end();
}

bool is_recurring(const Reservation& reservation) { return recurrence_of(reservation) != nullptr; }

std::optional<Duration> period_of(const Reservation& reservation) {
  const Recurrence* row = recurrence_of(reservation);
  if (!row) return std::nullopt;
  return row->days == 0 ? Duration{std::chrono::hours{1}} : std::chrono::hours{24} * row->days;
}

std::optional<ReservedWindow> window_after(const Reservation& reservation,
                                           const ReservedWindow& window) {
  const Recurrence* row = recurrence_of(reservation);
  if (!row) return std::nullopt;
  constexpr std::chrono::hours hour{1};
  if (row->days == 0) return ReservedWindow{window.start + hour, window.end + hour};
  LocalDate day = later_by(date_of(to_seconds(window.start)), row->days);
  while (!row->falls_on(weekday_of(day))) day = later_by(day, 1);
  const ReservedWindow& first = reservation.first;
  const int nights = days_between(date_of(to_seconds(first.start)), date_of(to_seconds(first.end)));
  ReservedWindow next{on_date(day, first.start), on_date(later_by(day, nights), first.end)};
  if (next.end <= next.start) next.end = next.start + (first.end - first.start);
  return next;
}

std::optional<ReservedWindow> window_at(const Reservation& reservation, WallTime now) {
  std::optional<ReservedWindow> window = reservation.window;
  while (window && window->end <= now) window = window_after(reservation, *window);
  return window;
}

bool lets_in(const Reservation& reservation, const JobSpec& spec, const std::string& partition) {
  const auto passes = [](const ReservedFor& list, bool is_named) {
    return list.names.empty() || is_named != list.is_negated;
  };
  const bool is_member = contains(reservation.group_members, spec.user) ||
                         contains(reservation.groups.names, spec.group);
  return passes(reservation.users, contains(reservation.users.names, spec.user)) &&
         passes(reservation.accounts, contains(reservation.accounts.names, spec.account)) &&
         passes(reservation.groups, is_member) &&
         passes(reservation.allowed_partitions,
                contains(reservation.allowed_partitions.names, partition));
}

}  // namespace sluice
