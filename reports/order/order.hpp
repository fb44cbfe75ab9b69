// reports/order answers "do consumers get messages in the order in which they were sent".
//
// RocketMQ keeps the order of one producer's messages in one queue if the producer waits: if it
// sends a message after the one before was acknowledged (its documentation calls that ordered
// messages, sent one after the other from one thread to one queue). So a message A comes before a
// message B of the same producer if
//   - A was acknowledged, by an attempt for this queue, before B was invoked, and
//   - both are in this queue of the final store.
// Nothing is said of messages under way at the same time, of different queues or producers, nor of
// an A without a definite answer: a request that its client has given up may be stored later.
//
// Of several copies of a message the first one in the queue counts: a consumer that sees a second
// one sees a duplicate, which is counted apart. What is lost has no place and breaks no order.
#pragma once

#include "reports/record/final_store.hpp"
#include "reports/record/history.hpp"
#include "reports/record/run_result.hpp"

namespace drydock::reports {

inline constexpr std::size_t kOrderExamplesMax = 10;

// `store.read` must hold. O(n log n).
OrderReport check_order(const History& history, const FinalStore& store);

}  // namespace drydock::reports
