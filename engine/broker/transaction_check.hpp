// Asks producers what became of transactions that did not end (storage reference, 9.4), RocketMQ's
// TransactionalMessageCheckService.
//
// Every transactionCheckInterval it walks the half topic from where it stopped: what an op message
// names is done with; what is older than transactionTimeOut is put behind the others, with one
// check more, and a producer of its group is asked; what was asked about transactionCheckMax times,
// or is older than the log is kept, goes to TRANS_CHECK_MAX_TIME_TOPIC; at the first one that is
// younger the walk ends. How far it came in both topics is kept as consumer offsets.
//
// While the half topic has nothing new no timer is armed; the walks stay on the same grid.
#pragma once

#include <map>
#include <set>

#include "engine/broker/client_processor.hpp"
#include "engine/broker/configuration.hpp"
#include "engine/broker/offsets_of_broker.hpp"
#include "engine/broker/topics_of_broker.hpp"
#include "engine/broker/transactions.hpp"

namespace drydock {

class TransactionCheck {
 public:
  TransactionCheck(Context& context, const BrokerConfiguration& configuration, MessageStore& store,
                   OffsetsOfBroker offsets, TopicsOfBroker topics, ClientProcessor& clients)
      : context_(context),
        configuration_(configuration),
        store_(store),
        offsets_(offsets),
        topics_(topics),
        clients_(clients),
        worker_(context.workers.add("TransactionalMessageCheckService")) {}

  // A message of the half topic can be read.
  void message_arrived() { arrived_.set(); }
  // Checks until cancelled.
  Task<void> run();

 private:
  // What the op messages from the kept offset on say.
  struct Ops {
    std::map<QueueOffset, QueueOffset> done;               // Half message → op message.
    std::map<QueueOffset, std::set<QueueOffset>> pending;  // Op message → not yet passed over.
    QueueOffset next;                                      // Behind the last one that was read.
  };
  enum class Step : std::uint8_t { next, stop };

  QueueOffset offset_of(std::string_view topic) const;
  void keep_offset(std::string_view topic, QueueOffset offset);
  bool behind() const;
  Task<void> walk();
  Task<Result<Ops>> read_ops(QueueOffset from, QueueOffset half_from);
  Task<Step> look_at(const StoredMessage& half, Ops& ops, std::int64_t walk_ms);
  Task<bool> put_again(IncomingMessage message, PutResult& put);
  Task<bool> discard(const StoredMessage& half);
  void ask(const StoredMessage& half, const PutResult& put, std::int64_t checks);
  static void pass_over(Ops& ops, QueueOffset half);
  bool older_than_the_log(std::int64_t age_ms) const;

  Context& context_;
  const BrokerConfiguration& configuration_;
  MessageStore& store_;
  OffsetsOfBroker offsets_;
  TopicsOfBroker topics_;
  ClientProcessor& clients_;
  Worker& worker_;
  Event arrived_;
};

}  // namespace drydock
