#include "sim/net/link.hpp"

#include <string>

namespace drydock::sim {
namespace {

std::string stream_name(const char* what, HostId from, HostId to) {
  return std::string("net/") + what + "-" + std::to_string(from.value()) + "-" +
         std::to_string(to.value());
}

}  // namespace

LinkProfile LinkProfile::same_zone() {
  return {.latency = {{0, 60'000},
                      {500'000, 100'000},
                      {900'000, 150'000},
                      {990'000, 400'000},
                      {999'000, 1'000'000},
                      {1'000'000, 5'000'000}},
          .bandwidth_bytes_per_s = 1'250'000'000,
          .loss_ppm = 0};
}

LinkProfile LinkProfile::loopback() {
  return {.latency = {{0, 8'000}, {500'000, 15'000}, {990'000, 50'000}, {1'000'000, 200'000}},
          .bandwidth_bytes_per_s = 0,
          .loss_ppm = 0};
}

Link::Link(const Kernel& kernel, HostId from, HostId to, const LinkProfile& profile)
    : latencies_(kernel.stream(stream_name("link", from, to))),
      losses_(kernel.stream(stream_name("loss", from, to))) {
  set_profile(profile);
}

void Link::set_profile(const LinkProfile& profile) {
  ENSURE(profile.bandwidth_bytes_per_s >= 0);
  ENSURE(profile.loss_ppm <= QuantileTable::kMillion);
  profile_ = profile;
  median_ns_ = profile.latency.at(QuantileTable::kMillion / 2).count_ns();
}

void Link::begin_cut(const TrafficFilter& filter) {
  ++cuts_;
  if (filter.ports.empty()) ++cuts_of_all_traffic_;
  for (const std::uint16_t port : filter.ports) ++cuts_of(port);
}

void Link::end_cut(const TrafficFilter& filter) {
  ENSURE(cuts_ > 0);
  --cuts_;
  if (filter.ports.empty()) --cuts_of_all_traffic_;
  for (const std::uint16_t port : filter.ports) --cuts_of(port);
}

bool Link::cut_for_port(std::uint16_t server_port) const {
  if (cuts_of_all_traffic_ > 0) return true;
  for (const PortCut& cut : port_cuts_) {
    if (cut.port == server_port && cut.count > 0) return true;
  }
  return false;
}

std::uint32_t& Link::cuts_of(std::uint16_t port) {
  for (PortCut& cut : port_cuts_) {
    if (cut.port == port) return cut.count;
  }
  port_cuts_.push_back({port, 0});
  return port_cuts_.back().count;
}

}  // namespace drydock::sim
