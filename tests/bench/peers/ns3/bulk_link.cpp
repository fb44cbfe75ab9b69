// bulk-link on ns-3's point-to-point devices. A message is eight frames of 8 KiB, each with the two
// bytes of ns-3's PPP header: 0.024 % more on the wire than the workload asks for.
#include "tests/bench/workloads/bulk_link.hpp"

#include <ns3/core-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include <algorithm>
#include <array>
#include <deque>

#include "tests/bench/peers/ns3/workloads.hpp"

namespace drydock::bench {
namespace {

class Link {
 public:
  static constexpr std::uint32_t kFrameBytes = 8192;
  static constexpr std::uint16_t kProtocol = 0x0800;

  explicit Link(const BulkLink& load) : load_(load) {
    nodes_.Create(2);
    ns3::PointToPointHelper helper;
    helper.SetDeviceAttribute(
        "DataRate", ns3::DataRateValue(ns3::DataRate(static_cast<std::uint64_t>(load.bits_per_s))));
    helper.SetDeviceAttribute("Mtu", ns3::UintegerValue(kFrameBytes));
    helper.SetChannelAttribute("Delay", ns3::TimeValue(ns3::NanoSeconds(load.latency_ns)));
    helper.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue("100000p"));
    devices_ = helper.Install(nodes_);
    devices_.Get(1)->SetReceiveCallback(ns3::MakeCallback(&Link::on_frame, this));
    ns3::Simulator::Schedule(ns3::NanoSeconds(0), &Link::on_burst, this);
  }

  std::uint64_t delivered() const { return delivered_; }
  std::int64_t last_delivery() const { return last_delivery_; }
  std::int64_t mean_sojourn() const { return sojourn_ / load_.messages; }

 private:
  void on_burst() {
    const std::int64_t now = ns3::Simulator::Now().GetNanoSeconds();
    for (std::int64_t i = 0; i < BulkLink::kBurst; ++i) {
      handed_over_.push_back(now);
      for (std::int64_t sent = 0; sent < BulkLink::kMessageBytes; sent += kFrameBytes) {
        devices_.Get(0)->Send(ns3::Create<ns3::Packet>(kFrameBytes), devices_.Get(1)->GetAddress(),
                              kProtocol);
      }
    }
    if (++bursts_ < load_.burst_count()) {
      ns3::Simulator::Schedule(ns3::NanoSeconds(load_.burst_period_ns()), &Link::on_burst, this);
    }
  }

  bool on_frame(ns3::Ptr<ns3::NetDevice>, ns3::Ptr<const ns3::Packet> packet, std::uint16_t,
                const ns3::Address&) {
    received_bytes_ += packet->GetSize();
    if (received_bytes_ < BulkLink::kMessageBytes) return true;
    received_bytes_ -= BulkLink::kMessageBytes;
    last_delivery_ = ns3::Simulator::Now().GetNanoSeconds();
    sojourn_ += last_delivery_ - handed_over_.front();
    handed_over_.pop_front();
    ++delivered_;
    return true;
  }

  BulkLink load_;
  ns3::NodeContainer nodes_;
  ns3::NetDeviceContainer devices_;
  std::deque<std::int64_t> handed_over_;  // Of the messages under way.
  std::int64_t bursts_ = 0;
  std::int64_t received_bytes_ = 0;
  std::int64_t last_delivery_ = 0;
  std::int64_t sojourn_ = 0;
  std::uint64_t delivered_ = 0;
};

}  // namespace

Record ns3_bulk_link(const Options& options) {
  const std::int64_t messages = BulkLink::messages_per_link(options.messages);
  Record record;
  Stopwatch watch;
  Link fast(BulkLink::fast(messages));
  Link slow(BulkLink::slow(messages));
  watch.started();
  ns3::Simulator::Run();
  watch.finish(record);
  record.messages = fast.delivered() + slow.delivered();
  record.transfer_fast_ns = fast.last_delivery();
  record.transfer_slow_ns = slow.last_delivery();
  record.sojourn_fast_ns = fast.mean_sojourn();
  record.sojourn_slow_ns = slow.mean_sojourn();
  record.events = ns3::Simulator::GetEventCount();
  record.virtual_s = ns3::Simulator::Now().GetSeconds();
  return record;
}

}  // namespace drydock::bench
