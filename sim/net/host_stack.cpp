#include "sim/net/host_stack.hpp"

namespace drydock::sim {

void HostStack::go_dark(std::int64_t now) {
  for (const std::unique_ptr<Link>& link : links_) {
    if (link != nullptr) link->go_dark(now);
  }
}

Link& HostStack::link_to(const HostStack& to) {
  if (to.index_ >= links_.size()) links_.resize(to.index_ + 1);
  std::unique_ptr<Link>& link = links_[to.index_];
  if (link == nullptr) {
    const bool local = &to == this;
    const LinkProfile& profile = local ? core_.options.loopback : core_.options.link;
    link = std::make_unique<Link>(core_.kernel, id(), to.id(), profile);
  }
  return *link;
}

SimListener* HostStack::listener(std::uint16_t port) const {
  const auto found = listeners_.find(port);
  return found == listeners_.end() ? nullptr : found->second;
}

void HostStack::open_port(std::uint16_t port, SimListener& listener) {
  const bool added = listeners_.emplace(port, &listener).second;
  ENSURE(added);
}

void HostStack::close_port(std::uint16_t port) { listeners_.erase(port); }

std::uint16_t HostStack::pick_port() {
  for (;;) {
    const std::uint16_t port = next_port_;
    next_port_ = port == kLastPort ? kFirstPort : static_cast<std::uint16_t>(port + 1);
    if (!listeners_.contains(port)) return port;
  }
}

}  // namespace drydock::sim
