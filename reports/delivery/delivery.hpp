// reports/delivery answers "what did consumers see": every message, once, and nothing that the
// cluster has forgotten since?
//
// RocketMQ delivers at least once: messages come again after a consumer or a broker has died, and a
// group whose offset lies behind the end of a queue (a crash has cut it) goes on at the end, past
// what was written since. Those that are passed over so are the only figure that is damage by
// itself (reports/expect); of the others a drill says what it expects. A consumer gets the messages
// of a queue in the order that they have there; what comes again after a restart began earlier.
#pragma once

#include "reports/record/final_store.hpp"
#include "reports/record/history.hpp"
#include "reports/record/run_result.hpp"

namespace drydock::reports {

// `store.read` must hold. O(n log n).
DeliveryReport check_deliveries(const History& history, const FinalStore& store);

}  // namespace drydock::reports
