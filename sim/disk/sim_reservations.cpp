#include "sim/disk/sim_reservations.hpp"

#include "sim/disk/command_wait.hpp"
#include "sim/disk/reservation_report.hpp"

namespace drydock::sim {

Task<Result<void>> SimReservations::register_key(Worker& worker, ReservationKey key,
                                                 PersistThroughPowerLoss persist) {
  return change(worker,
                RegisterRequest{.action = RegisterAction::add, .next = key, .persist = persist});
}

Task<Result<void>> SimReservations::replace_key(Worker& worker, ReservationKey current,
                                                ReservationKey next) {
  return change(
      worker, RegisterRequest{.action = RegisterAction::replace, .current = current, .next = next});
}

Task<Result<void>> SimReservations::unregister(Worker& worker, ReservationKey key) {
  return change(worker, RegisterRequest{.action = RegisterAction::unregister, .current = key});
}

Task<Result<void>> SimReservations::acquire(Worker& worker, ReservationKey key,
                                            ReservationType type) {
  return change(worker,
                AcquireRequest{.action = AcquireAction::acquire, .current = key, .type = type});
}

Task<Result<void>> SimReservations::preempt(Worker& worker, ReservationKey key,
                                            ReservationKey victim, ReservationType type) {
  return change(
      worker,
      AcquireRequest{
          .action = AcquireAction::preempt, .current = key, .victim = victim, .type = type});
}

Task<Result<void>> SimReservations::preempt_and_abort(Worker& worker, ReservationKey key,
                                                      ReservationKey victim, ReservationType type) {
  return change(worker, AcquireRequest{.action = AcquireAction::preempt_and_abort,
                                       .current = key,
                                       .victim = victim,
                                       .type = type});
}

Task<Result<void>> SimReservations::release(Worker& worker, ReservationKey key,
                                            ReservationType type) {
  return change(worker,
                ReleaseRequest{.action = ReleaseAction::release, .current = key, .type = type});
}

Task<Result<void>> SimReservations::clear(Worker& worker, ReservationKey key) {
  return change(worker, ReleaseRequest{.action = ReleaseAction::clear, .current = key});
}

Task<Result<ReservationReport>> SimReservations::report(Worker& worker) {
  ReportRequest request;
  while (true) {
    const ReservationCommand command = request;
    Result<SharedBytes> bytes = co_await send(worker, command);
    if (!bytes) co_return bytes.error();
    const std::size_t complete = complete_report_bytes(bytes->span());
    if (complete <= request.length) co_return decode_report(bytes->span());
    request.length = complete;
  }
}

Task<Result<CountedNotice>> SimReservations::next_notice(Worker&) {
  if (path_.disk().reservations() == nullptr) co_return error_of(NvmeStatus::invalid_opcode);
  for (;;) {
    Result<void> told = co_await notices_.told().wait();
    if (!told) co_return told.error();
    const std::optional<CountedNotice> notice = notices_.take();
    if (notice) co_return *notice;
  }
}

Task<Result<void>> SimReservations::mask_notices(Worker&, ReservationNoticeMask mask) {
  if (path_.disk().reservations() == nullptr) co_return error_of(NvmeStatus::invalid_opcode);
  notices_.mask(mask);
  co_return Result<void>();
}

Task<Result<SharedBytes>> SimReservations::send(Worker& worker, ReservationCommand command) {
  AwaitedCommand::Reserve request{.command = std::move(command)};
  auto sent = std::make_unique<AwaitedCommand>(std::move(request));
  Result<ByteChain> answer = co_await CommandWait(path_, std::move(sent), worker);
  if (!answer) co_return answer.error();
  co_return answer->flatten();
}

Task<Result<void>> SimReservations::change(Worker& worker, ReservationCommand command) {
  Result<SharedBytes> answer = co_await send(worker, std::move(command));
  if (!answer) co_return answer.error();
  co_return Result<void>();
}

}  // namespace drydock::sim
