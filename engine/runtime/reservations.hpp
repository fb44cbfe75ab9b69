// NVMe reservations of one namespace, as one host issues them.
#pragma once

#include "engine/runtime/task.hpp"
#include "engine/runtime/worker.hpp"
#include "engine/types/reservations.hpp"
#include "engine/types/result.hpp"

namespace drydock {

// The identity is the host identifier of this host's controllers, never the process: a restarted
// process of the host is the same registrant.
//
// Errors of every command: reservation_conflict (the host, key or state does not allow it; the
// original NVMe status is kept), invalid_argument (Invalid Field), not_supported (Invalid Opcode),
// outcome_unknown (timed out or path lost: it may have happened; ask for a report), device_gone.
// Registrations and the reservation survive controller resets, disconnects and crashes of hosts;
// they survive a power loss of the device only if it persists them.
// Source: NVMe Base Specification 2.1, section 8.1.22; reference on reservations, sections 4 to 10.
class Reservations {
 public:
  virtual ~Reservations() = default;

  // Adds this host with `key`. Conflict if it is registered with another key.
  virtual Task<Result<void>> register_key(Worker& worker, ReservationKey key,
                                          PersistThroughPowerLoss persist) = 0;
  // Replaces the host's key; the reservation, if held, stays. Conflict if `current` is not its key.
  virtual Task<Result<void>> replace_key(Worker& worker, ReservationKey current,
                                         ReservationKey next) = 0;
  // Removes this host; a reservation that it alone holds is released.
  virtual Task<Result<void>> unregister(Worker& worker, ReservationKey key) = 0;
  // Takes the reservation if nobody holds one. Holding it already with this type is success.
  virtual Task<Result<void>> acquire(Worker& worker, ReservationKey key, ReservationType type) = 0;
  // Removes every registrant with the key `victim`; if that was the holder, this host holds the
  // reservation with `type` afterwards. Commands of the victim that had started may still land.
  // Success does not prove that this host holds: ask for a report.
  virtual Task<Result<void>> preempt(Worker& worker, ReservationKey key, ReservationKey victim,
                                     ReservationType type) = 0;
  // As preempt, and completes only when no command of a removed registrant can land any more. May
  // take as long as the slowest of them; a time-out means "not fenced".
  virtual Task<Result<void>> preempt_and_abort(Worker& worker, ReservationKey key,
                                               ReservationKey victim, ReservationType type) = 0;
  // Gives the reservation up; registrations stay. Without effect for a registrant that holds none.
  virtual Task<Result<void>> release(Worker& worker, ReservationKey key, ReservationType type) = 0;
  // Removes the reservation and every registrant, this host included.
  virtual Task<Result<void>> clear(Worker& worker, ReservationKey key) = 0;
  // The whole state, in the extended format. Never refused, not even to a stranger.
  virtual Task<Result<ReservationReport>> report(Worker& worker) = 0;
  // The oldest that the device has told this host and nobody has taken here; waits until there is
  // one. Whoever issued a command is not told of it. Nobody is told that a reservation of type 1 or
  // 2 was released, nor when a host just stops: whoever stands by asks for reports.
  // Lost: what is told while this is not open, or while 255 wait to be taken; all of them with a
  // power loss of host or device, and when the host resets the controller, which also counts from 1
  // again and tells everything.
  // Errors: cancelled, not_supported. Source: reference on reservations, section 12.
  virtual Task<Result<CountedNotice>> next_notice(Worker& worker) = 0;
  // From now on the device tells this host all but these. At first it tells everything.
  virtual Task<Result<void>> mask_notices(Worker& worker, ReservationNoticeMask mask) = 0;
};

}  // namespace drydock
