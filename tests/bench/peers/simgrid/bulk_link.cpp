// bulk-link on SimGrid. Its links are shared by flows instead of served in turn: the messages of a
// burst all end when the last one does, so the transfer time compares and the sojourn does not.
#include "tests/bench/workloads/bulk_link.hpp"

#include <algorithm>
#include <cmath>
#include <simgrid/s4u.hpp>
#include <string>

#include "tests/bench/peers/simgrid/workloads.hpp"

namespace drydock::bench {
namespace {

namespace sg4 = simgrid::s4u;

class Link {
 public:
  Link(const std::string& name, const BulkLink& load, sg4::NetZone* zone)
      : load_(load), mailbox_(sg4::Mailbox::by_name(name)) {
    auto* from = zone->create_host(name + "-source", 1e9);
    auto* to = zone->create_host(name + "-sink", 1e9);
    auto* link = zone->create_link(name, static_cast<double>(load.bits_per_s) / 8)
                     ->set_latency(static_cast<double>(load.latency_ns) * 1e-9)
                     ->seal();
    zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr,
                    {sg4::LinkInRoute(link)}, true);
    source_host_ = from;
    sink_host_ = to;
  }

  // After the zone is sealed.
  void start() {
    auto sink = sg4::Actor::create("sink", sink_host_, [this] { run_sink(); });
    mailbox_->set_receiver(sink);  // A flow starts when it is put, not when it is asked for.
    sg4::Actor::create("source", source_host_, [this] { run_source(); });
  }

  std::uint64_t delivered() const { return delivered_; }
  std::int64_t last_delivery() const { return std::llround(last_delivery_s_ * 1e9); }
  std::int64_t mean_sojourn() const {
    return std::llround(sojourn_s_ * 1e9 / static_cast<double>(load_.messages));
  }

 private:
  void run_source() {
    for (std::int64_t burst = 0; burst < load_.burst_count(); ++burst) {
      sg4::this_actor::sleep_until(static_cast<double>(burst * load_.burst_period_ns()) * 1e-9);
      for (std::int64_t i = 0; i < BulkLink::kBurst; ++i) {
        auto* handed_over = new double(sg4::Engine::get_clock());
        mailbox_->put_init(handed_over, static_cast<std::uint64_t>(BulkLink::kMessageBytes))
            ->detach();
      }
    }
  }

  void run_sink() {
    for (std::int64_t i = 0; i < load_.messages; ++i) {
      const auto handed_over = mailbox_->get_unique<double>();
      last_delivery_s_ = sg4::Engine::get_clock();
      sojourn_s_ += last_delivery_s_ - *handed_over;
      ++delivered_;
    }
    mailbox_->set_receiver(nullptr);
  }

  BulkLink load_;
  sg4::Mailbox* mailbox_;
  sg4::Host* source_host_ = nullptr;
  sg4::Host* sink_host_ = nullptr;
  double last_delivery_s_ = 0;
  double sojourn_s_ = 0;
  std::uint64_t delivered_ = 0;
};

}  // namespace

Record simgrid_bulk_link(const Options& options, sg4::Engine& engine) {
  const std::int64_t messages = BulkLink::messages_per_link(options.messages);
  Record record;
  Stopwatch watch;
  auto* zone = sg4::create_full_zone("world");
  Link fast("fast", BulkLink::fast(messages), zone);
  Link slow("slow", BulkLink::slow(messages), zone);
  zone->seal();
  fast.start();
  slow.start();
  watch.started();
  engine.run();
  watch.finish(record);
  record.messages = fast.delivered() + slow.delivered();
  record.transfer_fast_ns = fast.last_delivery();
  record.transfer_slow_ns = slow.last_delivery();
  record.sojourn_fast_ns = fast.mean_sojourn();
  record.sojourn_slow_ns = slow.mean_sojourn();
  record.virtual_s = sg4::Engine::get_clock();
  return record;
}

}  // namespace drydock::bench
