#include "engine/linux/unsupported_reservations.hpp"

namespace drydock::on_linux {
namespace {

constexpr std::uint16_t kInvalidOpcode = 0x001;
constexpr Error kNotSupported = Error::from_nvme(ErrorCode::not_supported, kInvalidOpcode);

Task<Result<void>> refuse() { co_return kNotSupported; }

}  // namespace

Task<Result<void>> UnsupportedReservations::register_key(Worker&, ReservationKey,
                                                         PersistThroughPowerLoss) {
  return refuse();
}
Task<Result<void>> UnsupportedReservations::replace_key(Worker&, ReservationKey, ReservationKey) {
  return refuse();
}
Task<Result<void>> UnsupportedReservations::unregister(Worker&, ReservationKey) { return refuse(); }
Task<Result<void>> UnsupportedReservations::acquire(Worker&, ReservationKey, ReservationType) {
  return refuse();
}
Task<Result<void>> UnsupportedReservations::preempt(Worker&, ReservationKey, ReservationKey,
                                                    ReservationType) {
  return refuse();
}
Task<Result<void>> UnsupportedReservations::preempt_and_abort(Worker&, ReservationKey,
                                                              ReservationKey, ReservationType) {
  return refuse();
}
Task<Result<void>> UnsupportedReservations::release(Worker&, ReservationKey, ReservationType) {
  return refuse();
}
Task<Result<void>> UnsupportedReservations::clear(Worker&, ReservationKey) { return refuse(); }
Task<Result<ReservationReport>> UnsupportedReservations::report(Worker&) {
  co_return kNotSupported;
}
Task<Result<CountedNotice>> UnsupportedReservations::next_notice(Worker&) {
  co_return kNotSupported;
}
Task<Result<void>> UnsupportedReservations::mask_notices(Worker&, ReservationNoticeMask) {
  return refuse();
}

}  // namespace drydock::on_linux
