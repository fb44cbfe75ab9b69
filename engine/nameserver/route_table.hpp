// What a name server knows: which brokers there are, and which topics they have (HA reference, 5).
// Pure: time comes in with each call.
//
// Tables: queues by topic and broker name; broker groups by name, each with an address per broker
// id; names by cluster; a live entry per cluster and address.
//
// Invariants: no group without an address, no topic without queues, no cluster without a group.
// Two addresses never share an id of a group, and an address has at most one id of a group.
//
// The address of an id changes when somebody else registers with it: the last one wins, unless the
// former one's state version is larger (then the newcomer is forgotten, and gets an empty answer
// that looks like success). That is how a new master takes over id 0.
//
// Quirks that are kept: only id 0, or the lowest id of a group, brings topics along; a topic that a
// broker no longer has stays; a live entry whose id was taken over stays until it expires or its
// connection ends.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/types/time.hpp"
#include "engine/wire/register_broker.hpp"
#include "engine/wire/topic_route.hpp"

namespace drydock {

// What is kept at most: garbage on the port must not fill the memory. RocketMQ has no such bounds.
// Assumed to be far beyond what a cluster has: a thousand broker groups of four, 500 topics on
// each.
inline constexpr std::size_t kAddressesMax = 4'096;       // Of all brokers, alive.
inline constexpr std::size_t kTopicEntriesMax = 500'000;  // Topics, each once per broker name.

// Silence after which a broker is forgotten, unless it named another time.
inline constexpr Duration kBrokerExpiry = Duration::s(120);

// One REGISTER_BROKER.
struct BrokerRegistration {
  RegisterBrokerHeader header;
  RegisterBrokerBody body;
  std::uint64_t connection = 0;  // On which it came.
};

struct RegisterOutcome {
  enum class Kind : std::uint8_t {
    accepted,
    stale,    // Somebody with a larger state version has the id.
    unknown,  // One topic alone, from a broker that isn't registered: refused.
    full,     // More addresses or topics than are kept: refused, and nothing of it is taken.
  };
  Kind kind = Kind::accepted;
  bool added = false;               // An address that was not there.
  RegisterBrokerResponse response;  // For slaves: where a live master is.
};

class RouteTable {
 public:
  struct Options {
    // Clients get the lowest id of a group without master as id 0, for reading
    // (supportActingMaster).
    bool support_acting_master = false;
  };
  explicit RouteTable(Options options) : options_(options) {}

  RegisterOutcome register_broker(const BrokerRegistration& registration, MonotonicTime now);
  // A sign of life from a broker that is registered; of others it is ignored.
  void heartbeat(const BrokerIdentity& broker, MonotonicTime now);

  // Each gives the number of addresses that were removed.
  int unregister(const BrokerIdentity& broker);
  int connection_ended(std::uint64_t connection);
  int expire(MonotonicTime now);
  // After this moment, and not before, somebody is expired; none if nobody is here.
  std::optional<MonotonicTime> next_expiry() const;

  // None if the topic isn't known, or none of its brokers is.
  std::optional<TopicRoute> route_of(std::string_view topic) const;
  ClusterInfo cluster_info() const;

  // ENSUREs the invariants above; for tests.
  void check_invariants() const;

 private:
  struct Live {
    MonotonicTime last;
    Duration timeout;
    DataVersion version;
    std::uint64_t connection = 0;
    std::string ha_address;
  };
  using Key = std::pair<std::string, std::string>;  // Cluster, address.
  using QueuesByBroker = std::map<std::string, QueueData>;

  const Live* find_live(std::string_view cluster, std::string_view address) const;
  // True if somebody with a larger state version has the id.
  bool held_by_newer(const BrokerData& group, const BrokerIdentity& broker,
                     const DataVersion& version) const;
  // Whether a bound leaves no room for it.
  bool too_much(const BrokerRegistration& registration) const;
  void take_topics(const BrokerRegistration& registration, const BrokerData& group, bool first);
  RegisterBrokerResponse master_for_slave(const BrokerData& group,
                                          const BrokerIdentity& broker) const;
  // Forgets one live entry, its address, and what was there only because of it.
  int remove(const Key& key);
  bool remove_address(BrokerData& group, const std::string& address);
  void remove_group(const std::string& name);
  void forbid_writes(const std::string& name);

  Options options_;
  std::map<std::string, QueuesByBroker, std::less<>> topics_;
  std::size_t topic_entries_ = 0;  // Over all of topics_.
  std::map<std::string, BrokerData, std::less<>> groups_;
  std::map<std::string, std::set<std::string>, std::less<>> clusters_;
  std::map<Key, Live> live_;
};

}  // namespace drydock
