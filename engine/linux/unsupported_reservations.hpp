// The reservations of a device that has none: a regular file, a loop device, most disks.
#pragma once

#include "engine/runtime/reservations.hpp"

namespace drydock::on_linux {

// Answers every command as an NVMe controller without reservations does: not_supported, with the
// status Invalid Opcode. Drydock cannot drive a device that has them yet.
class UnsupportedReservations : public Reservations {
 public:
  Task<Result<void>> register_key(Worker& worker, ReservationKey key,
                                  PersistThroughPowerLoss persist) override;
  Task<Result<void>> replace_key(Worker& worker, ReservationKey current,
                                 ReservationKey next) override;
  Task<Result<void>> unregister(Worker& worker, ReservationKey key) override;
  Task<Result<void>> acquire(Worker& worker, ReservationKey key, ReservationType type) override;
  Task<Result<void>> preempt(Worker& worker, ReservationKey key, ReservationKey victim,
                             ReservationType type) override;
  Task<Result<void>> preempt_and_abort(Worker& worker, ReservationKey key, ReservationKey victim,
                                       ReservationType type) override;
  Task<Result<void>> release(Worker& worker, ReservationKey key, ReservationType type) override;
  Task<Result<void>> clear(Worker& worker, ReservationKey key) override;
  Task<Result<ReservationReport>> report(Worker& worker) override;
  Task<Result<CountedNotice>> next_notice(Worker& worker) override;
  Task<Result<void>> mask_notices(Worker& worker, ReservationNoticeMask mask) override;
};

}  // namespace drydock::on_linux
