// The reservations interface over a path: what the controllers of one host can send to a disk.
#pragma once

#include "engine/runtime/reservations.hpp"
#include "sim/disk/disk_path.hpp"

namespace drydock::sim {

class SimReservations : public Reservations {
 public:
  SimReservations(SimDisk& disk, Host& host) : path_(disk, host) {
    disk.tell(path_.controller(), path_.queue(), notices_);
  }
  ~SimReservations() override { path_.disk().tell_no_more(path_.controller()); }
  SimReservations(const SimReservations&) = delete;
  SimReservations& operator=(const SimReservations&) = delete;

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

 private:
  // The bytes that the command answers with: none but of a report.
  Task<Result<SharedBytes>> send(Worker& worker, ReservationCommand command);
  Task<Result<void>> change(Worker& worker, ReservationCommand command);

  DiskPath path_;
  NoticeLog notices_;
};

}  // namespace drydock::sim
