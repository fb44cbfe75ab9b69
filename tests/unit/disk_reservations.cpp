// The tables of the reference on NVMe reservations, row by row, for all three presets: sections 4
// (who may do what), 5 (register), 6 (acquire and preempt), 7 (release and clear), 12
// (notifications), and what sections 1, 2, 8 and 10 say in prose. `nvmet` and `spdk` are given
// where they differ from the specification.
#include <gtest/gtest.h>

#include "sim/disk/reservation_report.hpp"
#include "tests/support/reservation_script.hpp"

namespace drydock::test {
namespace {

constexpr std::string_view kPresets[] = {"spec", "nvmet", "spdk"};

// One command, and what it answers: "status +generations | state", see reservation_script.
struct Row {
  std::string_view name;
  std::string_view before;
  std::string_view command;
  std::string_view answer;
  std::string_view nvmet = {};
  std::string_view spdk = {};

  std::string_view expected(std::string_view preset) const {
    if (preset == "nvmet" && !nvmet.empty()) return nvmet;
    if (preset == "spdk" && !spdk.empty()) return spdk;
    return answer;
  }
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

constexpr Row kRegister[] = {
    // Section 5.
    {"not registered", "", "A add 1", "ok +1 | - A1"},
    {"the same key again", "A add 1", "A add 1", "ok +1 | - A1", "", "ok +0 | - A1"},
    {"the same key by another controller", "A add 1", "A' add 1", "ok +1 | - A1", "",
     "ok +0 | - A1"},
    {"another key", "A add 1", "A add 2", "conflict +0 | - A1"},
    {"another key, ignoring", "A add 1", "A add 2 !", "conflict +0 | - A1"},
    {"replace", "A add 1, A acquire 1 WE", "A replace 1 2", "ok +1 | WE A2*", "", "ok +0 | WE A2*"},
    {"replace, wrong key", "A add 1", "A replace 7 2", "conflict +0 | - A1"},
    {"replace, ignoring", "A add 1", "A replace ! 2", "ok +1 | - A2", "", "ok +0 | - A2"},
    {"replace, ignoring, not registered", "", "A replace ! 2", "ok +1 | - A2"},
    {"replace, not registered", "", "A replace 1 2", "conflict +0 | -"},
    {"unregister", "A add 1, B add 2", "A unregister 1", "ok +1 | - B2"},
    {"unregister, ignoring", "A add 1", "A unregister !", "ok +1 | -"},
    {"unregister, wrong key", "A add 1", "A unregister 2", "conflict +0 | - A1"},
    {"unregister, not registered", "", "A unregister 1", "conflict +0 | -"},
    {"unregister, not registered, ignoring", "", "A unregister !", "conflict +0 | -"},
    {"two hosts, one key", "A add 5", "B add 5", "ok +1 | - A5 B5"},
    {"key 0", "", "A add 0", "ok +1 | - A0", "", "field +0 | -"},
    {"replace by key 0", "A add 1", "A replace 1 0", "ok +1 | - A0", "", "field +0 | - A1"},
    {"reserved action", "A add 1", "A register-action-3 1", "field +0 | - A1", "opcode +0 | - A1"},
    {"the holder unregisters", "A add 1, B add 2, A acquire 1 WE", "A unregister 1",
     "ok +1 | - B2"},
    {"a registrant unregisters", "A add 1, B add 2, A acquire 1 WE", "B unregister 2",
     "ok +1 | WE A1*"},
    {"one of all holders unregisters", "A add 1, B add 2, C add 3, A acquire 1 WEAR",
     "A unregister 1", "ok +1 | WEAR B2* C3*", "", "ok +1 | WEAR B2* C3"},
    {"the last of all holders unregisters", "A add 1, A acquire 1 EAAR", "A unregister 1",
     "ok +1 | -"},
};

constexpr Row kAcquire[] = {
    // Section 6, first table.
    {"nothing held", "A add 1", "A acquire 1 WE", "ok +0 | WE A1*"},
    {"I hold, same type", "A add 1, A acquire 1 WE", "A acquire 1 WE", "ok +0 | WE A1*"},
    {"I hold, another type", "A add 1, A acquire 1 WE", "A acquire 1 EA", "conflict +0 | WE A1*"},
    {"somebody else holds", "A add 1, B add 2, A acquire 1 WE", "B acquire 2 WE",
     "conflict +0 | WE A1* B2"},
    {"all hold, same type", "A add 1, B add 2, A acquire 1 WEAR", "B acquire 2 WEAR",
     "ok +0 | WEAR A1* B2*", "conflict +0 | WEAR A1* B2*", "ok +0 | WEAR A1* B2"},
    {"all hold, another type", "A add 1, B add 2, A acquire 1 WEAR", "B acquire 2 EAAR",
     "conflict +0 | WEAR A1* B2*", "", "conflict +0 | WEAR A1* B2"},
    {"not registered", "", "A acquire 1 WE", "conflict +0 | -"},
    {"wrong key", "A add 1", "A acquire 2 WE", "conflict +0 | - A1"},
    {"ignoring the key", "A add 1", "A acquire ! WE", "field +0 | - A1"},
    {"type 7", "A add 1", "A acquire 1 7", "field +0 | - A1"},
    {"type 0", "A add 1", "A acquire 1 -", "field +0 | - A1"},
};

constexpr Row kPreempt[] = {
    // Section 6, second table and the traps after it.
    {"the holder's key", "A add 1, B add 2, C add 3, A acquire 1 WE", "B preempt 2 1 EA",
     "ok +1 | EA B2* C3"},
    {"the holder's key, which others share", "A add 5, B add 5, C add 3, A acquire 5 WE",
     "C preempt 3 5 WE", "ok +1 | WE C3*", "", "ok +2 | WE C3*"},
    {"the holder's key, which is mine too", "A add 5, B add 5, A acquire 5 WE", "B preempt 5 5 WE",
     "ok +1 | WE B5*"},
    {"my own key, and I hold", "A add 1, B add 2, A acquire 1 WE", "A preempt 1 1 EARO",
     "ok +1 | EARO A1* B2", "", "ok +0 | EARO A1* B2"},
    {"my own key, and I hold, same type", "A add 1, A acquire 1 WE", "A preempt 1 1 WE",
     "ok +1 | WE A1*", "", "ok +0 | WE A1*"},
    {"my own key, and I hold, others share it", "A add 5, B add 5, A acquire 5 WE",
     "A preempt 5 5 EA", "ok +1 | EA A5*", "", "ok +0 | EA A5* B5"},
    {"another key", "A add 1, B add 2, C add 3, A acquire 1 WE", "B preempt 2 3 EA",
     "ok +1 | WE A1* B2"},
    {"another key, by the holder", "A add 1, B add 2, A acquire 1 WE", "A preempt 1 2 EA",
     "ok +1 | WE A1*"},
    {"my own key, and I do not hold", "A add 1, B add 2, A acquire 1 WE", "B preempt 2 2 EA",
     "ok +1 | WE A1*"},
    {"nobody's key", "A add 1, B add 2, A acquire 1 WE", "B preempt 2 9 WE",
     "conflict +0 | WE A1* B2", "", "ok +0 | WE A1* B2"},
    {"key 0", "A add 1, B add 2, A acquire 1 WE", "B preempt 2 0 WE", "field +0 | WE A1* B2", "",
     "conflict +0 | WE A1* B2"},
    {"all hold, key 0", "A add 1, B add 2, C add 3, A acquire 1 WEAR", "B preempt 2 0 WE",
     "ok +1 | WE B2*", "", "ok +2 | WEAR B2*"},
    {"all hold, somebody's key", "A add 1, B add 2, C add 3, A acquire 1 EAAR", "B preempt 2 1 WE",
     "ok +1 | EAAR B2* C3*", "", "ok +1 | EAAR B2* C3"},
    {"all hold, my own key", "A add 1, B add 2, A acquire 1 EAAR", "B preempt 2 2 WE",
     "ok +1 | EAAR A1*"},
    {"all hold, nobody's key", "A add 1, B add 2, A acquire 1 WEAR", "B preempt 2 9 WE",
     "conflict +0 | WEAR A1* B2*", "", "conflict +0 | WEAR A1* B2"},
    {"nothing held, somebody's key", "A add 1, B add 2", "B preempt 2 1 WE", "ok +1 | - B2"},
    {"nothing held, nobody's key", "A add 1, B add 2", "B preempt 2 9 WE", "conflict +0 | - A1 B2",
     "", "ok +0 | - A1 B2"},
    {"nothing held, key 0", "A add 1, B add 2", "B preempt 2 0 WE", "conflict +0 | - A1 B2", "",
     "ok +0 | - A1 B2"},
    {"by a stranger", "A add 1, A acquire 1 WE", "B preempt 2 1 WE", "conflict +0 | WE A1*"},
    {"wrong key of mine", "A add 1, B add 2, A acquire 1 WE", "B preempt 3 1 WE",
     "conflict +0 | WE A1* B2"},
    {"ignoring the key", "A add 1, B add 2, A acquire 1 WE", "B preempt ! 1 WE",
     "field +0 | WE A1* B2"},
    {"abort does the same", "A add 1, B add 2, A acquire 1 WE", "B abort 2 1 EA", "ok +1 | EA B2*"},
    // The holder has replaced its key since it acquired. SPDK compares with the old one, so the
    // reported key only removes the holder, and the old one takes over without removing it.
    {"the holder's replaced key", "A add 1, B add 2, A acquire 1 WE, A replace 1 3",
     "B preempt 2 3 WE", "ok +1 | WE B2*", "", "ok +1 | - B2"},
    {"the holder's former key", "A add 1, B add 2, A acquire 1 WE, A replace 1 3",
     "B preempt 2 1 WE", "conflict +0 | WE A3* B2", "", "ok +0 | WE A3 B2*"},
};

constexpr Row kRelease[] = {
    // Section 7.
    {"by the holder", "A add 1, B add 2, A acquire 1 WE", "A release 1 WE", "ok +0 | - A1 B2"},
    {"wrong type", "A add 1, A acquire 1 WE", "A release 1 EA", "field +0 | WE A1*",
     "conflict +0 | WE A1*"},
    {"by a registrant", "A add 1, B add 2, A acquire 1 WE", "B release 2 WE", "ok +0 | WE A1* B2"},
    {"by a registrant, wrong type", "A add 1, B add 2, A acquire 1 WE", "B release 2 EA",
     "ok +0 | WE A1* B2", "", "field +0 | WE A1* B2"},
    {"nothing held", "A add 1", "A release 1 WE", "ok +0 | - A1"},
    {"by another of all holders", "A add 1, B add 2, A acquire 1 WEAR", "B release 2 WEAR",
     "ok +0 | - A1 B2", "ok +0 | WEAR A1* B2*"},
    {"by the one of all holders that acquired", "A add 1, B add 2, A acquire 1 WEAR",
     "A release 1 WEAR", "ok +0 | - A1 B2"},
    {"by a stranger", "A add 1, A acquire 1 WE", "B release 1 WE", "conflict +0 | WE A1*"},
    {"wrong key", "A add 1, A acquire 1 WE", "A release 2 WE", "conflict +0 | WE A1*"},
    {"ignoring the key", "A add 1, A acquire 1 WE", "A release ! WE", "field +0 | WE A1*"},
    {"clear by a registrant", "A add 1, B add 2, C add 3, A acquire 1 WE", "B clear 2", "ok +1 | -",
     "", "ok +3 | -"},
    {"clear by a stranger", "A add 1, A acquire 1 WE", "B clear 1", "conflict +0 | WE A1*"},
    {"clear, wrong key", "A add 1, A acquire 1 WE", "A clear 2", "conflict +0 | WE A1*"},
    {"clear, ignoring the key", "A add 1, A acquire 1 WE", "A clear !", "field +0 | WE A1*"},
};

class Table : public ::testing::TestWithParam<std::tuple<Row, std::string_view>> {};

TEST_P(Table, Row) {
  const auto& [row, preset] = GetParam();
  ReservationScript script(*sim::reservations_named(preset));
  ASSERT_EQ(script.run(row.before).status, sim::NvmeStatus::success);
  const std::uint32_t before = script.state.report().generation;
  const sim::NvmeStatus status = script.run(row.command).status;
  const ReservationReport report = script.state.report();
  EXPECT_EQ(
      text_of(status) + " +" + std::to_string(report.generation - before) + " | " + text_of(report),
      row.expected(preset));
}

constexpr auto kCaseName = [](const auto& info) {
  std::string name(std::get<0>(info.param).name);
  name += " " + std::string(std::get<1>(info.param));
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
};
#define INSTANTIATE_ROWS(name, rows)                                                             \
  INSTANTIATE_TEST_SUITE_P(                                                                      \
      name, Table, ::testing::Combine(::testing::ValuesIn(rows), ::testing::ValuesIn(kPresets)), \
      kCaseName)
INSTANTIATE_ROWS(Section5Register, kRegister);
INSTANTIATE_ROWS(Section6Acquire, kAcquire);
INSTANTIATE_ROWS(Section6Preempt, kPreempt);
INSTANTIATE_ROWS(Section7Release, kRelease);

// Section 4, first table: read and write of holder, registrant and stranger; "y" may, "n" may not.
struct AccessRow {
  std::string_view type;
  std::string_view holder;
  std::string_view registrant;  // Of types 5 and 6 there is none.
  std::string_view stranger;
};
constexpr AccessRow kAccess[] = {
    {"WE", "yy", "yn", "yn"},   {"EA", "yy", "nn", "nn"},   {"WERO", "yy", "yy", "yn"},
    {"EARO", "yy", "yy", "nn"}, {"WEAR", "yy", "yy", "yn"}, {"EAAR", "yy", "yy", "nn"},
};

TEST(Section4, WhoMayDoWhat) {
  using enum sim::NvmeCommand;
  constexpr sim::NvmeCommand kReads[] = {read, compare, verify, security_receive};
  constexpr sim::NvmeCommand kWrites[] = {
      write,  write_zeroes, write_uncorrectable,  dataset_management,  flush,
      format, sanitize,     namespace_management, capacity_management, security_send};
  for (const std::string_view preset : kPresets) {
    for (const AccessRow& row : kAccess) {
      ReservationScript script(*sim::reservations_named(preset));
      script.run("A add 1, B add 2, A acquire 1 " + std::string(row.type));
      const auto expect = [&](std::string_view who, sim::NvmeCommand command, bool allowed) {
        SCOPED_TRACE(std::string(preset) + " " + std::string(row.type) + " " + std::string(who) +
                     " command " + std::to_string(static_cast<int>(command)));
        const sim::NvmeStatus status = script.state.check(host_of(who), command);
        EXPECT_EQ(text_of(status), allowed ? "ok" : "conflict");
      };
      for (const auto& [who, rights] : {std::pair("A", row.holder),
                                        {"A'", row.holder},
                                        {"B", row.registrant},
                                        {"C", row.stranger},
                                        {"X", row.stranger}}) {
        for (const sim::NvmeCommand command : kReads) expect(who, command, rights[0] == 'y');
        for (const sim::NvmeCommand command : kWrites) expect(who, command, rights[1] == 'y');
        expect(who, copy, rights == "yy");
        expect(who, other, true);
      }
    }
  }
}

TEST(Section4, NothingIsRefusedWhileNothingIsHeld) {
  ReservationScript script(sim::spec_reservations());
  script.run("A add 1");
  EXPECT_EQ(script.state.check(host_of("B"), sim::NvmeCommand::write), sim::NvmeStatus::success);
}

// Section 12: the causes and who is told. Kinds: 1 registration preempted, 2 reservation released,
// 3 reservation preempted.
struct NoticeRow {
  std::string_view before;
  std::string_view command;
  std::string_view told;
  std::string_view spdk = {};
};
constexpr NoticeRow kNotices[] = {
    {"A add 1, B add 2, C add 3, A acquire 1 WE", "B preempt 2 1 WE", "A:1", "A:1 C:2"},
    {"A add 1, B add 2, C add 3, A acquire 1 WE", "B preempt 2 1 EA", "A:1 C:2"},
    {"A add 1, B add 2, C add 3, A acquire 1 WE", "A preempt 1 1 EA", "B:2 C:2"},
    {"A add 1, B add 2, C add 3, A acquire 1 WE", "A preempt 1 3 EA", "C:1"},
    {"A add 1, B add 2, C add 3, A acquire 1 WE", "B preempt 2 2 EA", ""},
    {"A add 1, B add 2, C add 3, A acquire 1 WEAR", "B preempt 2 0 WE", "A:1 C:1"},
    {"A add 1, B add 2", "B preempt 2 1 WE", "A:1"},
    {"A add 1, B add 2, A acquire 1 WERO", "A release 1 WERO", "B:2"},
    {"A add 1, B add 2, A acquire 1 EARO", "A release 1 EARO", "B:2"},
    {"A add 1, B add 2, A acquire 1 WEAR", "A release 1 WEAR", "B:2"},
    {"A add 1, B add 2, A acquire 1 EAAR", "A release 1 EAAR", "B:2"},
    {"A add 1, B add 2, A acquire 1 WE", "A release 1 WE", ""},
    {"A add 1, B add 2, A acquire 1 EA", "A release 1 EA", ""},
    {"A add 1, B add 2, A acquire 1 WERO", "A unregister 1", "B:2"},
    {"A add 1, B add 2, A acquire 1 EARO", "A unregister 1", "B:2"},
    {"A add 1, B add 2, A acquire 1 WE", "A unregister 1", ""},
    {"A add 1, B add 2, A acquire 1 WEAR", "A unregister 1", ""},
    {"A add 1, B add 2, C add 3, A acquire 1 WE", "B clear 2", "A:3 C:3"},
};

TEST(Section12, WhoIsTold) {
  for (const std::string_view preset : kPresets) {
    for (const NoticeRow& row : kNotices) {
      ReservationScript script(*sim::reservations_named(preset));
      script.run(row.before);
      const bool differs = preset == "spdk" && !row.spdk.empty();
      EXPECT_EQ(text_of(script.run(row.command).notices), differs ? row.spdk : row.told)
          << preset << ": " << row.before << ": " << row.command;
    }
  }
}

TEST(Section9, PreemptedHostsAreNamedToTheDevice) {
  ReservationScript script(sim::spec_reservations());
  const sim::ReservationOutcome outcome =
      script.run("A add 5, B add 5, C add 3, A acquire 5 WE, C abort 3 5 WE");
  ASSERT_EQ(outcome.preempted.size(), 2u);
  EXPECT_TRUE(outcome.preempted[0].is(host_of("A'")));
  EXPECT_TRUE(outcome.preempted[1].is(host_of("B")));
}

// Section 10, and CPTPL of section 3.
TEST(Section10, APowerLossForgetsWhatDoesNotPersist) {
  ReservationScript script(sim::spec_reservations());
  script.run("A add 1, B add 2, A acquire 1 WE, power-loss");
  EXPECT_EQ(text_of(script.state.report()), "-");
  EXPECT_EQ(script.state.report().generation, 0u);
}

TEST(Section10, APowerLossKeepsWhatPersists) {
  ReservationScript script(sim::spec_reservations());
  script.run("A add 1 persist, B add 2, A acquire 1 WE");
  const ReservationReport before = script.state.report();
  script.run("power-loss");
  EXPECT_EQ(script.state.report(), before);
  EXPECT_EQ(text_of(before), "WE A1* B2 persists");
}

TEST(Section10, AnyRegisterCommandSetsAndClearsPersistence) {
  ReservationScript script(sim::spec_reservations());
  script.run("A add 1 persist, B add 2 forget");
  EXPECT_EQ(text_of(script.state.report()), "- A1 B2");
  script.run("B add 2 persist, B add 2");
  EXPECT_EQ(text_of(script.state.report()), "- A1 B2 persists");
}

TEST(Section10, ARefusedRegisterLeavesPersistenceAlone) {
  ReservationScript script(sim::spec_reservations());
  EXPECT_EQ(text_of(script.run("A add 1, A add 2 persist").status), "conflict");
  EXPECT_EQ(text_of(script.state.report()), "- A1");
}

TEST(Section10, NvmetAcceptsPersistenceAndIgnoresIt) {
  ReservationScript script(sim::nvmet_reservations());
  EXPECT_EQ(text_of(script.run("A add 1 persist").status), "ok");
  EXPECT_EQ(text_of(script.state.report()), "- A1");
}

TEST(Section10, ADeviceWithoutPersistenceMayRefuseIt) {
  sim::ReservationOptions options = sim::spdk_reservations();
  options.persistence = sim::PersistenceSupport::refused;
  ReservationScript script(options);
  EXPECT_EQ(text_of(script.run("A add 1 persist").status), "field");
  EXPECT_EQ(text_of(script.state.report()), "-");
}

// Section 1.
TEST(Section1, CapabilitiesAreReadBitByBit) {
  const auto rescap = [](sim::ReservationOptions options) {
    return sim::NamespaceReservations(options).capabilities();
  };
  EXPECT_EQ(rescap(sim::spec_reservations()), 0xff);
  EXPECT_EQ(rescap(sim::nvmet_reservations()), 0xfe);
  EXPECT_EQ(rescap(sim::spdk_reservations()), 0xff);
}

TEST(Section1, ATypeThatIsNotOfferedIsAnInvalidField) {
  sim::ReservationOptions options;
  options.types = 0x02;  // Write Exclusive alone.
  ReservationScript script(options);
  EXPECT_EQ(text_of(script.run("A add 1, A acquire 1 EA").status), "field");
  EXPECT_EQ(text_of(script.run("A acquire 1 WE").status), "ok");
}

// Section 2.
TEST(Section2, ControllersWithoutIdentifierAreAHostEach) {
  ReservationScript script(sim::spec_reservations());
  EXPECT_EQ(text_of(script.run("X add 1, Y add 2, X acquire 1 WE").status), "ok");
  EXPECT_EQ(text_of(script.state.report()), "WE ?1* ?2");
  const auto write = sim::NvmeCommand::write;
  EXPECT_EQ(script.state.check(host_of("X"), write), sim::NvmeStatus::success);
  EXPECT_EQ(script.state.check(host_of("Y"), write), sim::NvmeStatus::reservation_conflict);
}

TEST(Section2, ADeviceMayRefuseHostsWithoutIdentifier) {
  sim::ReservationOptions options;
  options.needs_host_identifier = true;
  ReservationScript script(options);
  for (const char* command : {"X add 1", "X acquire 1 WE", "X release 1 WE", "X clear 1"}) {
    EXPECT_EQ(text_of(script.run(command).status), "no-identifier") << command;
  }
  script.run("A add 1, A acquire 1 WE");
  EXPECT_EQ(script.state.check(host_of("X"), sim::NvmeCommand::write),
            sim::NvmeStatus::reservation_conflict);
}

// Section 8: the bytes.
std::string hex_of(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

ReservationReport a_report() {
  ReservationScript script(sim::spec_reservations());
  script.run("A add 258 persist, B add 2, A acquire 258 EA");
  return script.state.report();
}
const std::string kZeros(128, '0');

TEST(Section8, TheExtendedReport) {
  const sim::ReportBytes report = sim::encode_report(a_report(), {}, sim::spec_reservations(),
                                                     sim::HostIdentifierWidth::bits_128);
  EXPECT_EQ(hex_of(report.bytes),
            "02000000"
            "02"
            "0200"
            "0000"
            "01" +
                kZeros.substr(0, 108) +
                "ffff"
                "01"
                "0000000000"
                "0201000000000000" +
                std::string("41414141414141414141414141414141") + kZeros.substr(0, 64) +
                "ffff"
                "00"
                "0000000000"
                "0200000000000000" +
                std::string("42424242424242424242424242424242") + kZeros.substr(0, 64));
}

TEST(Section8, TheRegularReport) {
  const sim::ReportRequest request{.format = sim::ReportFormat::regular};
  const sim::ReportBytes report = sim::encode_report(a_report(), request, sim::spec_reservations(),
                                                     sim::HostIdentifierWidth::bits_64);
  EXPECT_EQ(hex_of(report.bytes),
            "02000000"
            "02"
            "0200"
            "0000"
            "01" +
                kZeros.substr(0, 28) +
                "ffff"
                "01"
                "0000000000"
                "4141414141414141"
                "0201000000000000"
                "ffff"
                "00"
                "0000000000"
                "4242424242424242"
                "0200000000000000");
}

TEST(Section8, AReportInTheWrongFormatIsRefused) {
  const sim::ReportRequest regular{.format = sim::ReportFormat::regular};
  EXPECT_EQ(sim::encode_report(a_report(), regular, {}, sim::HostIdentifierWidth::bits_128).status,
            sim::NvmeStatus::host_identifier_inconsistent_format);
  EXPECT_EQ(sim::encode_report(a_report(), {}, {}, sim::HostIdentifierWidth::bits_64).status,
            sim::NvmeStatus::host_identifier_inconsistent_format);
}

TEST(Section8, AShortBufferGetsALeadingPartWithTheWholeCount) {
  const sim::ReportRequest request{.length = 72};
  const sim::ReportBytes report =
      sim::encode_report(a_report(), request, {}, sim::HostIdentifierWidth::bits_128);
  EXPECT_EQ(report.bytes.size(), 72u);
  EXPECT_EQ(report.bytes[5], std::byte{2});
}

TEST(Section8, TargetsRefuseLessThanTheHeader) {
  const sim::ReportRequest request{.length = 60};
  const auto status = [&request](const sim::ReservationOptions& options) {
    return text_of(
        sim::encode_report(a_report(), request, options, sim::HostIdentifierWidth::bits_128)
            .status);
  };
  EXPECT_EQ(status(sim::spec_reservations()), "ok");
  EXPECT_EQ(status(sim::nvmet_reservations()), "field");
  EXPECT_EQ(status(sim::spdk_reservations()), "internal");
}

}  // namespace
}  // namespace drydock::test
