// messages_reservation.h: reservations are made, changed, deleted and listed by these messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/model/reservation.h"
#include "common/wire/message_type.h"

namespace sluice {

BOOST_DEFINE_ENUM_CLASS(ReservationAction, create, update, remove)

// How a list is changed: as a whole, or by some of its names.
BOOST_DEFINE_ENUM_CLASS(ListChange, set, add, subtract)

struct ReservedForChange {
  ListChange change = ListChange::set;
  ReservedFor list;

  bool operator==(const ReservedForChange&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReservedForChange, (), (change, list))

// What of the cluster: nodes by name, or so many of them or of their cores, which the controller
// chooses.
struct ReservedAmount {
  std::vector<std::string> nodes;
  bool all_nodes = false;
  std::optional<std::uint32_t> node_count;
  std::optional<std::uint32_t> core_count;
  std::optional<std::vector<LicenseCount>> licenses;

  bool operator==(const ReservedAmount&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReservedAmount, (), (nodes, all_nodes, node_count, core_count, licenses))

// Of an update only what is said changes.
struct ChangeReservation {
  static constexpr MessageType type = MessageType::change_reservation;
  ReservationAction action = ReservationAction::create;
  std::string name;  // of create it may be empty: the controller makes one up
  std::optional<WallTime> start;
  std::optional<WallTime> end;
  std::optional<std::uint32_t> duration_s;
  ReservedAmount amount;
  std::optional<std::string> features;
  std::optional<std::string> partition;
  std::optional<ReservedForChange> users;
  std::optional<ReservedForChange> accounts;
  std::optional<ReservedForChange> groups;
  std::vector<std::string> group_members;  // of `groups`, on the machine of the caller
  std::optional<ReservedForChange> allowed_partitions;
  std::vector<ReservationFlag> flags_added;
  std::vector<ReservationFlag> flags_removed;
  std::optional<std::uint32_t> purge_comp_s;
  std::optional<std::uint32_t> max_start_delay_s;

  bool operator==(const ChangeReservation&) const = default;
};
BOOST_DESCRIBE_STRUCT(ChangeReservation, (),
                      (action, name, start, end, duration_s, amount, features, partition, users,
                       accounts, groups, group_members, allowed_partitions, flags_added,
                       flags_removed, purge_comp_s, max_start_delay_s))

struct ReservationChangedReply {
  static constexpr MessageType type = MessageType::reservation_changed;
  std::string name;

  bool operator==(const ReservationChangedReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReservationChangedReply, (), (name))

struct QueryReservations {
  static constexpr MessageType type = MessageType::query_reservations;

  bool operator==(const QueryReservations&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueryReservations, (), ())

struct ReservationInfo {
  Reservation reservation;
  std::uint32_t cores = 0;  // of all its nodes together
  std::uint32_t cpus = 0;

  bool operator==(const ReservationInfo&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReservationInfo, (), (reservation, cores, cpus))

struct ReservationsReply {
  static constexpr MessageType type = MessageType::reservations_reply;
  std::vector<ReservationInfo> reservations;  // by start, then name
  WallTime as_of;

  bool operator==(const ReservationsReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReservationsReply, (), (reservations, as_of))

}  // namespace sluice
