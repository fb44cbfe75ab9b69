#include "engine/broker/cold_pulls.hpp"

namespace drydock {

namespace {

constexpr Duration kPeriod = Duration::ms(ColdReads::kPeriodMs);
constexpr Duration kHeldAtLeast = Duration::s(3);

ColdReads::Limits limits_of(const BrokerConfiguration& configuration) {
  return {.of_group_bytes = configuration.cg_cold_read_threshold,
          .of_all_bytes = configuration.global_cold_read_threshold,
          .adaptive = configuration.cold_ctr_strategy_enable,
          .controller = configuration.use_pid_cold_ctr_strategy};
}

}  // namespace

ColdPulls::ColdPulls(Context& context, const BrokerConfiguration& configuration,
                     HeldPulls::Waker& waker)
    : context_(context),
      waker_(waker),
      enabled_(configuration.store.cold_data_flow_control_enable),
      reads_(limits_of(configuration)) {}

void ColdPulls::hold(std::shared_ptr<ServerConnection> connection, PullRequest pull) {
  if (connection->ended()) return;
  HeldPull held{std::move(connection), std::move(pull), context_.clock.now() + kHeldAtLeast};
  if (held_.size() < kHeldMax) {
    held_.push_back(std::move(held));
    return;
  }
  held.request.count_max = 1;
  waker_.go_on(std::move(held));
}

void ColdPulls::connection_ended(const ServerConnection& connection) {
  std::erase_if(held_,
                [&](const HeldPull& pull) { return pull.connection->id() == connection.id(); });
}

Task<void> ColdPulls::run() {
  if (!enabled_) co_return;
  for (;;) {
    Result<void> slept = co_await sleep_for(context_.clock, kPeriod);
    if (!slept) co_return;
    let_go();
    reads_.end_period(context_.clock.wall_now().count_ms());
  }
}

// Before the period ends, as RocketMQ's service of the pulls is started before that of the periods.
void ColdPulls::let_go() {
  std::vector<HeldPull> going;
  std::vector<HeldPull> staying;
  for (HeldPull& pull : held_) {
    const bool due = context_.clock.now() >= pull.until;
    (due ? going : staying).push_back(std::move(pull));
  }
  held_ = std::move(staying);
  for (HeldPull& pull : going) {
    if (reads_.had_enough(pull.request.group)) pull.request.count_max = 1;
    waker_.go_on(std::move(pull));
  }
}

}  // namespace drydock
