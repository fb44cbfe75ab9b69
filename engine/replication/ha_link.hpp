// The connection of one slave, as its master sees it.
#pragma once

#include <memory>
#include <optional>

#include "engine/replication/ha_configuration.hpp"
#include "engine/replication/ha_master.hpp"

namespace drydock {

class HaMaster::Link {
 public:
  Link(Context& context, const HaConfiguration& configuration, MessageStore& store,
       std::unique_ptr<Stream> stream, Event& acknowledged, int number);

  // Reads reports until the connection ends or is silent for longer than haHousekeepingInterval.
  Task<void> read_reports();
  // Ships the log from where the slave's first report said, until the connection ends.
  Task<void> ship();

  // How far the slave said that its log goes; none before its first report.
  std::optional<PhysicalOffset> acknowledged() const { return acknowledged_; }
  // A put waits for copies: look for data at once.
  void wake();
  // It has reported more than there is, and was refused (ha.report-beyond-end-counts, hardened).
  bool strayed() const { return strayed_; }
  Endpoint peer() const { return stream_->peer(); }

 private:
  bool refuses(PhysicalOffset report) const;
  Task<bool> first_report();
  PhysicalOffset first_to_ship() const;
  // Tells of a slave that asks for what is gone. True: the connection ends.
  bool gives_up();
  // Waits until there may be something to ship or a heartbeat is due. False: cancelled.
  Task<bool> next_look();
  Task<bool> send(ByteChain body);

  Context& context_;
  const HaConfiguration& configuration_;
  MessageStore& store_;
  std::unique_ptr<Stream> stream_;
  Worker& worker_;
  Event& somebody_acknowledged_;
  std::optional<PhysicalOffset> acknowledged_;
  Event reported_;
  PhysicalOffset next_;
  bool strayed_ = false;
  bool stranded_ = false;  // That has been told.
  MonotonicTime last_write_;
  bool woken_ = false;
};

}  // namespace drydock
