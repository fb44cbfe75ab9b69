// Block devices that hosts share, and NVMe reservations. Without reservations both worlds say the
// same; a device that has them exists in the simulation only, and is asked in each preset.
#include "tests/contract/contract.hpp"
#include "tests/contract/shared_disk.hpp"

namespace drydock::contract {
namespace {

constexpr ReservationKey kA{0xa};
constexpr ReservationKey kB{0xb};
constexpr ReservationKey kC{0xc};
constexpr ReservationType kType = ReservationType::write_exclusive;
constexpr PersistThroughPowerLoss kKeep = PersistThroughPowerLoss::keep;

SharedBytes block_of(const BlockDevice& device, char value) {
  return SharedBytes::copy_of(
      std::string(static_cast<std::size_t>(device.info().block_bytes), value));
}

using Disks = ::testing::Types<SimulatedDisk, LinuxFile>;
template <class Which>
class DiskContract : public ::testing::Test {
 protected:
  void run(int host, SharedDisk::Program program) {
    EXPECT_TRUE(disk_->run(host, std::move(program)));
  }

 private:
  std::unique_ptr<SharedDisk> disk_ = Which::make();
};
TYPED_TEST_SUITE(DiskContract, Disks, WorldNames);

TYPED_TEST(DiskContract, AnotherHostReadsWhatWasWritten) {
  this->run(0, [](Worker& worker, BlockDevice& device, Reservations&) -> Task<void> {
    const std::int64_t unit = device.info().block_bytes;
    const SharedBytes block = block_of(device, 'a');
    Result<void> written =
        co_await device.write(worker, unit, block, WriteDurability::force_unit_access);
    EXPECT_TRUE(written);
  });
  this->run(1, [](Worker& worker, BlockDevice& device, Reservations&) -> Task<void> {
    const std::int64_t unit = device.info().block_bytes;
    Result<SharedBytes> read = co_await device.read(worker, unit, unit);
    EXPECT_EQ(read.value().span()[0], std::byte{'a'});
    Result<SharedBytes> odd = co_await device.read(worker, 1, unit);
    EXPECT_EQ(code_of(odd), ErrorCode::invalid_argument);
  });
}

TYPED_TEST(DiskContract, ADeviceWithoutReservationsSupportsNoneOfTheirCommands) {
  this->run(0, [](Worker& worker, BlockDevice& device, Reservations& reservations) -> Task<void> {
    EXPECT_FALSE(device.info().reservations);
    Result<void> added = co_await reservations.register_key(worker, kA, kKeep);
    EXPECT_EQ(code_of(added), ErrorCode::not_supported);
    EXPECT_EQ(added.error().origin(), StatusOrigin::nvme);
    EXPECT_EQ(added.error().status(), 0x01);
    Result<void> replaced = co_await reservations.replace_key(worker, kA, kB);
    EXPECT_EQ(code_of(replaced), ErrorCode::not_supported);
    Result<void> acquired = co_await reservations.acquire(worker, kA, kType);
    EXPECT_EQ(code_of(acquired), ErrorCode::not_supported);
    Result<void> preempted = co_await reservations.preempt(worker, kA, kB, kType);
    EXPECT_EQ(code_of(preempted), ErrorCode::not_supported);
    Result<void> aborted = co_await reservations.preempt_and_abort(worker, kA, kB, kType);
    EXPECT_EQ(code_of(aborted), ErrorCode::not_supported);
    Result<void> released = co_await reservations.release(worker, kA, kType);
    EXPECT_EQ(code_of(released), ErrorCode::not_supported);
    Result<void> cleared = co_await reservations.clear(worker, kA);
    EXPECT_EQ(code_of(cleared), ErrorCode::not_supported);
    Result<CountedNotice> notice = co_await reservations.next_notice(worker);
    EXPECT_EQ(code_of(notice), ErrorCode::not_supported);
    Result<void> masked = co_await reservations.mask_notices(worker, ReservationNoticeMask());
    EXPECT_EQ(code_of(masked), ErrorCode::not_supported);
    Result<void> removed = co_await reservations.unregister(worker, kA);
    EXPECT_EQ(code_of(removed), ErrorCode::not_supported);
    Result<ReservationReport> report = co_await reservations.report(worker);
    EXPECT_EQ(code_of(report), ErrorCode::not_supported);
  });
}

// What every device with reservations does alike.
class ReservationContract : public ::testing::TestWithParam<const char*> {
 protected:
  void run(int host, SharedDisk::Program program) {
    EXPECT_TRUE(disk_->run(host, std::move(program)));
  }
  // Host 0 registers, with key A, and acquires; host 1 registers with key B.
  void hold(PersistThroughPowerLoss persist = kKeep) {
    run(0, [persist](Worker& worker, BlockDevice&, Reservations& reservations) -> Task<void> {
      Result<void> added = co_await reservations.register_key(worker, kA, persist);
      EXPECT_TRUE(added);
      Result<void> acquired = co_await reservations.acquire(worker, kA, kType);
      EXPECT_TRUE(acquired);
    });
    run(1, [](Worker& worker, BlockDevice&, Reservations& reservations) -> Task<void> {
      Result<void> added = co_await reservations.register_key(worker, kB, kKeep);
      EXPECT_TRUE(added);
    });
  }
  void expect_writes(int host, bool allowed) {
    run(host, [allowed](Worker& worker, BlockDevice& device, Reservations&) -> Task<void> {
      const SharedBytes block = block_of(device, 'w');
      Result<void> written = co_await device.write(worker, 0, block, WriteDurability::device_cache);
      EXPECT_EQ(text_of(written), allowed ? "ok" : "reservation_conflict");
      Result<void> flushed = co_await device.flush(worker);
      EXPECT_EQ(text_of(flushed), allowed ? "ok" : "reservation_conflict");
      Result<SharedBytes> read = co_await device.read(worker, 0, device.info().block_bytes);
      EXPECT_TRUE(read);
    });
  }
  void power_cut() { disk_->power_cut(); }

 private:
  std::unique_ptr<SharedDisk> disk_ = make_reserving_disk(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Simulation, ReservationContract,
                         ::testing::Values("spec", "nvmet", "spdk"));

TEST_P(ReservationContract, OnlyTheHolderWritesAndARestartedProcessIsTheSameHost) {
  hold();
  expect_writes(0, true);
  expect_writes(1, false);
}

TEST_P(ReservationContract, ATakeoverFencesTheOldHolder) {
  hold();
  run(1, [](Worker& worker, BlockDevice&, Reservations& reservations) -> Task<void> {
    Result<void> taken = co_await reservations.preempt_and_abort(worker, kB, kA, kType);
    EXPECT_TRUE(taken);
    Result<ReservationReport> report = co_await reservations.report(worker);
    EXPECT_EQ(report->type, kType);
    EXPECT_EQ(report->registrants.size(), 1u);
    EXPECT_EQ(report->registrants[0].key, kB);
    EXPECT_TRUE(report->registrants[0].holds);
  });
  expect_writes(0, false);
  expect_writes(1, true);
}

TEST_P(ReservationContract, AHostIsToldThatItLostItsRegistrationUnlessItMasksThat) {
  hold();
  const SharedDisk::Program takeover = [](Worker& worker, BlockDevice&,
                                          Reservations& reservations) -> Task<void> {
    Result<void> taken = co_await reservations.preempt(worker, kB, kA, kType);
    EXPECT_TRUE(taken);
  };
  run(1, takeover);
  run(0, [](Worker& worker, BlockDevice&, Reservations& reservations) -> Task<void> {
    Result<CountedNotice> notice = co_await reservations.next_notice(worker);
    EXPECT_EQ(notice.value().kind, ReservationNotice::registration_preempted);
    ReservationNoticeMask mask;
    mask.registration_preempted = true;
    Result<void> masked = co_await reservations.mask_notices(worker, mask);
    EXPECT_TRUE(masked);
    Result<void> again = co_await reservations.register_key(worker, kA, kKeep);
    EXPECT_TRUE(again);
  });
  run(1, takeover);
  run(0, [](Worker& worker, BlockDevice&, Reservations& reservations) -> Task<void> {
    Result<void> again = co_await reservations.register_key(worker, kA, kKeep);
    EXPECT_TRUE(again);
  });
  run(1, [](Worker& worker, BlockDevice&, Reservations& reservations) -> Task<void> {
    Result<void> cleared = co_await reservations.clear(worker, kB);
    EXPECT_TRUE(cleared);
  });
  run(0, [](Worker& worker, BlockDevice&, Reservations& reservations) -> Task<void> {
    Result<CountedNotice> notice = co_await reservations.next_notice(worker);
    EXPECT_EQ(notice.value().kind, ReservationNotice::reservation_preempted);
  });
}

TEST_P(ReservationContract, ASuccessfulPreemptDoesNotProveThatTheHostHolds) {
  hold();
  run(0, [](Worker& worker, BlockDevice&, Reservations& reservations) -> Task<void> {
    Result<void> released = co_await reservations.release(worker, kA, kType);
    EXPECT_TRUE(released);
  });
  run(1, [](Worker& worker, BlockDevice&, Reservations& reservations) -> Task<void> {
    Result<void> taken = co_await reservations.preempt(worker, kB, kA, kType);
    EXPECT_TRUE(taken);
    Result<ReservationReport> before = co_await reservations.report(worker);
    EXPECT_EQ(before->type, ReservationType::none);
    Result<void> acquired = co_await reservations.acquire(worker, kB, kType);
    EXPECT_TRUE(acquired);
  });
  expect_writes(0, false);
}

TEST_P(ReservationContract, AReplacedKeyKeepsTheReservation) {
  hold();
  run(0, [](Worker& worker, BlockDevice&, Reservations& reservations) -> Task<void> {
    Result<void> replaced = co_await reservations.replace_key(worker, kA, kC);
    EXPECT_TRUE(replaced);
    Result<void> stale = co_await reservations.acquire(worker, kA, kType);
    EXPECT_EQ(code_of(stale), ErrorCode::reservation_conflict);
  });
  expect_writes(0, true);
  expect_writes(1, false);
}

TEST_P(ReservationContract, UnregisteringTheHolderAndClearingGiveTheDiskFree) {
  hold();
  run(0, [](Worker& worker, BlockDevice&, Reservations& reservations) -> Task<void> {
    Result<void> removed = co_await reservations.unregister(worker, kA);
    EXPECT_TRUE(removed);
  });
  expect_writes(1, true);
  run(1, [](Worker& worker, BlockDevice&, Reservations& reservations) -> Task<void> {
    Result<void> cleared = co_await reservations.clear(worker, kB);
    EXPECT_TRUE(cleared);
    Result<ReservationReport> report = co_await reservations.report(worker);
    EXPECT_TRUE(report->registrants.empty());
  });
}

// nvmet accepts the wish to persist and does not keep it: only the report counts.
TEST_P(ReservationContract, APowerLossKeepsWhatTheReportSaysPersists) {
  hold(PersistThroughPowerLoss::set);
  bool persists = false;
  run(1, [&persists](Worker& worker, BlockDevice&, Reservations& reservations) -> Task<void> {
    Result<ReservationReport> report = co_await reservations.report(worker);
    persists = report->persists_through_power_loss;
  });
  power_cut();
  expect_writes(1, !persists);
}

TEST_P(ReservationContract, APowerLossForgetsWhatDoesNotPersist) {
  hold();
  power_cut();
  expect_writes(1, true);
}

}  // namespace
}  // namespace drydock::contract
