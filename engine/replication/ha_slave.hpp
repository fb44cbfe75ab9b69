// The slave's side of the classic replication (HA reference, 1.1 and 1.4).
#pragma once

#include <memory>
#include <optional>

#include "engine/replication/ha_configuration.hpp"
#include "engine/replication/ha_frames.hpp"
#include "engine/store/message_store.hpp"

namespace drydock {

class HaSlave {
 public:
  HaSlave(Context& context, HaConfiguration configuration, MessageStore& store);

  // Where the master listens; none: nowhere yet. A connection that lives is not touched.
  void set_master(std::optional<Endpoint> master) { master_ = master; }

  // Connects, follows, connects again; until it is cancelled.
  Task<void> run();

 private:
  // One connection, from connect to its end.
  Task<void> follow();
  Task<bool> take(HaFrame frame);
  Task<bool> take_frames();
  Task<bool> report();
  // How far it tells the master that it has come: what it has in memory; hardened, what is flushed.
  Task<PhysicalOffset> safe_end();
  // When the loop, which looks once a second, does something without having read.
  MonotonicTime next_look() const;

  Context& context_;
  HaConfiguration configuration_;
  MessageStore& store_;
  Worker& worker_;
  std::optional<Endpoint> master_;
  std::unique_ptr<Stream> stream_;
  HaFrameReader frames_;
  PhysicalOffset reported_;
  PhysicalOffset flushed_to_;  // Hardened: by flushes none of which has failed.
  bool flush_failed_ = false;  // A flush that succeeds after that proves nothing.
  MonotonicTime last_write_;   // Not touched by a connect: RocketMQ's quirk.
  MonotonicTime last_read_;
};

}  // namespace drydock
