#include "tests/fingerprint/crowd.hpp"

namespace drydock::fingerprint {

Crowd::Node::Node(Crowd& owner, int number)
    : crowd(owner),
      index(number),
      revival(*this, EventKind::host, static_cast<std::uint32_t>(number), &Node::revive),
      relief(*this, EventKind::fault, static_cast<std::uint32_t>(number), &Node::relieve) {
  const sim::HostOptions host_options{.name = "n" + std::to_string(number),
                                      .address = 0x0a000001 + static_cast<std::uint32_t>(number),
                                      .cores = 2,
                                      .cpu_priced = true,
                                      .wall_offset_ns = 1'700'000'000'000'000'000};
  host = std::make_unique<sim::Host>(owner.kernel_, HostId(static_cast<std::uint32_t>(number)),
                                     host_options);
}

// Starts the next life, as a supervisor does; tries again later if the last one is not over.
void Crowd::Node::revive() {
  if (!host->powered()) return;
  if (process != nullptr && process->alive()) {
    if (process->ending()) crowd.kernel_.after(revival, Duration::ms(5));
    return;
  }
  const std::string name = host->name() + "#" + std::to_string(++lives);
  process = &host->spawn(name);
  crowd.attach(*host, *process);
  RandomStream chaos = crowd.kernel_.stream(name + "/chaos");
  const std::uint64_t occurrence = 1 + chaos.below(400);
  const bool takes_host = chaos.chance(1, 3);
  process->chaos().arm(CrashPoint::store_before_flush, occurrence, [this, takes_host] {
    if (takes_host) {
      host->lose_power();
      crowd.kernel_.after(relief, Duration::ms(40));
    } else {
      process->kill();
      crowd.kernel_.after(revival, Duration::ms(25));
    }
  });
  process->chaos().enable(BuggifySite::client_retry_early, 1, 5);
  process->start([this](Context& context) { return crowd.node(context, index); });
}

void Crowd::Node::relieve() {
  host->clock().set_drift(0);
  host->resume();
  if (process != nullptr) process->proceed();
  if (!host->powered()) host->restore_power();
  crowd.kernel_.after(revival, Duration::ms(10));
}

Crowd::Crowd(CrowdOptions options)
    : options_(options),
      kernel_({.seed = options.seed, .perturb_schedule = options.perturb}),
      nemesis_(kernel_.stream("nemesis")),
      next_trouble_(*this, EventKind::fault, 0xffff, &Crowd::make_trouble) {}

Crowd::~Crowd() = default;

void Crowd::assemble() {
  for (int i = 0; i < options_.nodes; ++i) {
    nodes_.push_back(std::make_unique<Node>(*this, i));
    equip(*nodes_.back()->host);
    const std::int64_t delay_ns = nemesis_.between(0, Duration::ms(20).count_ns());
    kernel_.after(nodes_.back()->revival, Duration::ns(delay_ns));
  }
  kernel_.after(next_trouble_, options_.trouble);
}

void Crowd::disperse() {
  for (const auto& node : nodes_) {
    node->revival.unlink();
    node->relief.unlink();
    node->host->lose_power();
  }
  next_trouble_.unlink();
  for (std::size_t i = 0; i < nodes_.size(); ++i) kernel_.step(kernel_.now());
}

void Crowd::attach(sim::Host&, sim::SimProcess& process) {
  process.attach(std::make_unique<test::NoNetwork>(), std::make_unique<test::NoFiles>());
}

void Crowd::make_trouble() {
  const std::uint64_t whom = nemesis_.below(nodes_.size());
  trouble(*nodes_[whom]);
  more_trouble(nemesis_);
  const std::int64_t delay_ns = nemesis_.between(1, 2 * options_.trouble.count_ns());
  kernel_.after(next_trouble_, Duration::ns(delay_ns));
}

void Crowd::trouble(Node& node) {
  const std::uint64_t kind = nemesis_.below(10);
  const Duration lasts = Duration::us(nemesis_.between(100, 60'000));
  const std::int64_t parts_per_billion = nemesis_.between(-400'000, 400'000);
  sim::Host& host = *node.host;
  if (!host.powered() || node.process == nullptr) return;
  switch (kind) {
    case 0:
    case 1:
      node.process->kill();
      kernel_.after(node.revival, lasts);
      return;
    case 2: host.lose_power(); break;
    case 3: host.pause(); break;
    case 4: node.process->stop(); break;
    case 5: host.clock().set_drift(parts_per_billion * 100); break;
    case 6: host.clock().jump_wall(Duration::us(parts_per_billion)); return;
    case 7: node.process->terminate(); break;
    case 8:  // Down and up at once.
      host.lose_power();
      host.restore_power();
      break;
    default: host.clock().set_drift(parts_per_billion); return;
  }
  kernel_.after(node.relief, lasts);
}

}  // namespace drydock::fingerprint
