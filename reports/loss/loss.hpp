// reports/loss answers "which acknowledged messages are gone, and why" from what was recorded: the
// history of the clients on one side, the log and the queues that the judge read on the other.
//
//   loss      the checker
//   explain   the mechanism behind the losses of one cell, in words
//   stopped_files   file systems that stopped themselves, in words
//   provenance   how each copy of a lost message came and went
//
// This file: the checker. Pure.
#pragma once

#include "reports/record/final_store.hpp"
#include "reports/record/history.hpp"
#include "reports/record/run_result.hpp"

namespace drydock::reports {

// What became of every send. A store that nobody could read says nothing: then `acked` and
// `failed` alone are counted.
// A message is *there* if its queue leads to it: readers walk queues, nobody walks the log.
//
//   lost            acked, and no intact copy is there, though it has not expired
//   expired         acked, and deleted since with its file by the rules for old files and full
//   disks at_risk         acked before the fault and covered by no flush of the master then, those
//   that
//                   are lost included
//   unknown_stored, unknown_absent   a send without a definite answer that is there, or is not
//   failed_stored   refused, and there all the same
//   duplicates      copies that are there beyond the first of a key that was sent
//   corrupt         copies in the log whose bytes differ from what was sent; ranges of it that are
//                   no record; entries of queues that do not lead to the message of their place,
//                   those next to each other that are wrong in the same way counted once
//   phantoms        records in the log without a key of ours, or with one that was never sent, or
//                   never by that attempt. An attempt without an answer that is there besides
//                   another one is a duplicate, not a phantom.
//
// `replicas`: where each broker's log stood when the fault came, the master's first.
LossReport check_loss(const History& history, const FinalStore& store,
                      const std::vector<ReplicaFacts>& replicas);

}  // namespace drydock::reports
