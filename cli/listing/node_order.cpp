// node_order.cpp: compares lines by what their columns show.
#include "cli/listing/node_order.h"

#include <algorithm>
#include <cstdlib>

#include "common/base/hostlist.h"

namespace sluice {
namespace {

std::string shown(const NodeRow& row, char letter, const ListingContext& context) {
  std::string text;
  column_of_letter(node_columns(), letter)->render(row, context, text);
  return text;
}

bool starts_with_digit(const std::string& text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

// Numbers by value: "9" stands before "10+".
int compare_texts(const std::string& a, const std::string& b) {
  if (!starts_with_digit(a) || !starts_with_digit(b)) return a.compare(b);
  const double left = std::strtod(a.c_str(), nullptr);
  const double right = std::strtod(b.c_str(), nullptr);
  return left < right ? -1 : left > right ? 1 : 0;
}

int compare_hosts(const NodeRow& a, const NodeRow& b) {
  const std::string left = a.nodes.empty() ? "" : a.nodes.front()->node.name;
  const std::string right = b.nodes.empty() ? "" : b.nodes.front()->node.name;
  return hostname_less(left, right) ? -1 : hostname_less(right, left) ? 1 : 0;
}

int compare_states(const NodeRow& a, const NodeRow& b) {
  const auto place = [](const NodeRow& row) {
    return row.nodes.empty() ? -2 : node_state_order(*row.nodes.front());
  };
  return place(a) - place(b);
}

class Comparison {
 public:
  Comparison(const std::vector<NodeSortKey>& order,
             const std::vector<const PartitionConfig*>& partitions, const ListingContext& context)
      : order_(order), partitions_(partitions), context_(context) {}

  bool operator()(const NodeRow& a, const NodeRow& b) const {
    for (const NodeSortKey& key : order_)
      if (const int compared = compare(key, a, b))
        return key.descending ? compared > 0 : compared < 0;
    return false;
  }

 private:
  int compare(const NodeSortKey& key, const NodeRow& a, const NodeRow& b) const {
    if (key.configured) return static_cast<int>(place_of(a)) - static_cast<int>(place_of(b));
    if (key.letter == 't' || key.letter == 'T') return compare_states(a, b);
    if (key.letter == 'n' || key.letter == 'N') return compare_hosts(a, b);
    return compare_texts(shown(a, key.letter, context_), shown(b, key.letter, context_));
  }
  std::size_t place_of(const NodeRow& row) const {
    return static_cast<std::size_t>(
        std::find(partitions_.begin(), partitions_.end(), row.partition) - partitions_.begin());
  }

  const std::vector<NodeSortKey>& order_;
  const std::vector<const PartitionConfig*>& partitions_;
  const ListingContext& context_;
};

}  // namespace

Result<std::vector<NodeSortKey>> parse_node_order(std::string_view text) {
  std::vector<NodeSortKey> order;
  NodeSortKey key;
  for (char c : text) {
    if (c == ',' || c == '+') continue;
    if (c == '-') key.descending = true;
    else if (c == '#') key.configured = true;
    else if (!column_of_letter(node_columns(), c))
      return Error{ErrorCode::invalid_argument, std::string(1, c)};
    else {
      key.letter = c;
      order.push_back(std::exchange(key, {}));
    }
  }
  return order;
}

void sort_node_rows(const std::vector<NodeSortKey>& order,
                    const std::vector<const PartitionConfig*>& partitions,
                    const ListingContext& context, std::vector<NodeRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), Comparison(order, partitions, context));
}

}  // namespace sluice
