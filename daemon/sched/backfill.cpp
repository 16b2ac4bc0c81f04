// backfill.cpp: what the rules share are two walks: through those that get a booking, and through
// those that only start where they are in nobody's way. A booking is in the timeline, so that no
// later step of the pass can delay it.
#include "daemon/sched/backfill.h"

#include <algorithm>

#include "daemon/sched/balance.h"

namespace sluice {
namespace {

// In strict order: who cannot start for want of nodes or licences closes its partitions.
void start_in_order(Pass& pass, bool books_the_first) {
  Queue queue = pass.queue(pass.rules().order);
  while (auto turn = queue.next()) {
    if (pass.is_full()) return;
    if (books_the_first && pass.is_closed(*turn)) continue;
    if (pass.start(*turn)) queue.again(turn->class_index);
    else if (books_the_first ? pass.book_earliest(*turn) : pass.lacks_room(*turn))
      pass.close_partitions(*turn);
  }
  pass.open_partitions();
}

// Each that fits beside all bookings; who does not fit keeps nobody else waiting.
void fill(Pass& pass, QueueOrder order, Tie tie = Tie::submit) {
  Queue queue = pass.queue(order, tie);
  while (auto turn = queue.next()) {
    if (pass.is_full()) return;
    if (!pass.waits(*turn) && pass.start(*turn)) queue.again(turn->class_index);
  }
}

// It may take what was promised to those that go behind it.
bool start_or_book(Pass& pass, const Turn& turn) {
  if (pass.booked() >= pass.rules().planned_max) return false;
  pass.lift_promises();
  return (!pass.waits(turn) && pass.start(turn)) || pass.book_earliest(turn);
}

// Everyone starts, or gets the earliest start that delays nobody before it.
void book_in_order(Pass& pass) {
  Queue queue = pass.queue(pass.rules().order);
  while (auto turn = queue.next()) {
    if (pass.is_full()) return;
    if (!pass.keep_promise(*turn) && !start_or_book(pass, *turn)) continue;
    queue.again(turn->class_index);
  }
  pass.restore_promises();
}

void run_none(Pass& pass) { start_in_order(pass, false); }

void run_easy(Pass& pass) {
  start_in_order(pass, true);
  fill(pass, pass.rules().candidates.value_or(pass.rules().order));
}

void run_conservative(Pass& pass) {
  book_in_order(pass);
  fill(pass, pass.rules().order);
}

// The same with the promises of the last plan: who moves up takes none of them away.
void run_guarantee(Pass& pass) {
  book_in_order(pass);
  pass.move_up();
  fill(pass, pass.rules().order);
}

// Planned starts for the others, which bind nobody.
void foresee(Pass& pass) {
  Queue queue = pass.queue(pass.rules().order);
  while (auto turn = queue.next()) {
    if (pass.is_full() || pass.booked() >= pass.rules().planned_max) return;
    if (pass.book_earliest(*turn)) queue.again(turn->class_index);
  }
}

void run_balanced(Pass& pass) {
  const QueueLoad load = load_of(pass.view());
  start_short(pass, load);
  start_in_order(pass, true);
  pass.set_latest();
  fill(pass, pass.rules().order, load.is_deep() ? Tie::largest : Tie::shortest);
  foresee(pass);
}

struct RuleRow {
  Backfill rule;
  void (*run)(Pass& pass);
};
constexpr RuleRow rules[] = {
    {Backfill::none, run_none},
    {Backfill::easy, run_easy},
    {Backfill::conservative, run_conservative},
    {Backfill::guarantee, run_guarantee},
    {Backfill::balanced, run_balanced},
};

}  // namespace

void run_rule(Pass& pass) {
  for (const RuleRow& row : rules)
    if (row.rule == pass.rules().backfill) row.run(pass);
}

}  // namespace sluice
