#include "scenarios/workload/owner_program.hpp"

#include "scenarios/workload/node_key.hpp"

namespace drydock::scenarios {
namespace {

class Owner {
 public:
  Owner(Context& context, std::string device, ReservationKey key, HostControl& control)
      : context_(context),
        device_(std::move(device)),
        key_(key),
        control_(control),
        worker_(context.workers.add("agent")) {}

  Task<void> run() {
    Result<void> owned = co_await own();
    if (!owned) {
      context_.observer.log(LogLevel::error,
                            device_ + " is not this host's to mount: " +
                                std::string(drydock::name_of(owned.error().code())));
      co_return;
    }
    const MountOptions options;
    Result<void> mounted = co_await control_.mount(worker_, device_, "/", options);
    if (mounted) co_return;
    context_.observer.log(LogLevel::error,
                          device_ + " could not be mounted: " +
                              std::string(drydock::name_of(mounted.error().code())));
  }

 private:
  Task<Result<void>> own() {
    Result<std::unique_ptr<Reservations>> opened = control_.open_reservations(device_);
    if (!opened) co_return opened.error();
    Reservations& reservations = **opened;
    Result<ReservationReport> report = co_await reservations.report(worker_);
    if (!report) co_return report.error();
    const std::optional<ReservationKey> holder = holder_of(*report);
    if (holder == key_) co_return Result<void>();
    if (holder) co_return ErrorCode::reservation_conflict;
    const PersistThroughPowerLoss persist = PersistThroughPowerLoss::keep;
    Result<void> registered = co_await reservations.register_key(worker_, key_, persist);
    if (!registered) co_return registered;
    const ReservationType type = ReservationType::write_exclusive;
    Result<void> acquired = co_await reservations.acquire(worker_, key_, type);
    co_return acquired;
  }

  Context& context_;
  std::string device_;
  ReservationKey key_;
  HostControl& control_;
  Worker& worker_;
};

}  // namespace

Task<void> run_owner(Context& context, std::string device, ReservationKey key,
                     HostControl& control) {
  Owner owner(context, std::move(device), key, control);
  co_await owner.run();
}

}  // namespace drydock::scenarios
