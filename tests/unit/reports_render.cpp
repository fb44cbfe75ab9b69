// What is printed follows from the figures; results survive their way through JSON.
#include <gtest/gtest.h>

#include "reports/record/numbers.hpp"
#include "reports/render/answer.hpp"
#include "reports/render/json.hpp"
#include "reports/render/junit.hpp"
#include "reports/render/markdown.hpp"
#include "reports/render/repro.hpp"
#include "reports/render/summary.hpp"
#include "reports/render/text.hpp"

namespace drydock::reports {
namespace {

RunResult run_of(std::uint64_t seed, std::size_t lost, const std::string& fault) {
  RunResult run;
  run.seed = seed;
  run.fingerprint = "00112233445566778899aabbccddeeff";
  run.events = 12'345;
  run.virtual_ns = 9'000'000'000;
  run.verdict = Verdict::pass;
  run.plan = R"([{"do":"host.power-loss","on":"h"}])";
  run.faults.push_back({fault, "h", 3'000'000'000, 5'000'000'000});
  run.replicas.push_back(
      {"broker-a", "master", {3'000'000'000, 2'000, 1'000, 2'800'000'000, 1'000}, false, "h"});
  run.loss.acked = 1'000;
  for (std::size_t i = 0; i < lost; ++i)
    run.loss.lost.push_back({i + 1, 1'500, 2'900'000'000, true});
  run.loss.at_risk = 25;
  run.rto.fault_ns = 7'000'000'000;
  run.rto.stages_ns = StageTimes{2'000'000'000, 0, 0, 0, 0, 0, 0, 0, 0, 5'000'000'000};
  run.rto.client_ns = 5'000'000'000;
  run.rto.steady = Steady::load_too_short;
  run.rto.longest_stall_ns = 3'000'000'000;
  run.baseline = {200, 300'000, 900'000, 100, 5'000'000'000};
  return run;
}

CellResult cell_of(const std::string& flush, bool own, std::size_t lost_per_run) {
  CellResult cell;
  cell.id = {{"fault", "power-loss"}, {"flushDiskType", flush}};
  if (!own) cell.changes = {{"flushDiskType", flush}};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    cell.runs.push_back(run_of(seed, seed == 3 ? 0 : lost_per_run, "host.power-loss"));
  }
  cell.verdict = Verdict::pass;
  return cell;
}

DrillResult async_result() {
  DrillResult result;
  result.facts.id = "power-loss";
  result.facts.promises = {"flushDiskType=ASYNC_FLUSH: a promise"};
  result.facts.not_modelled = {"something else"};
  result.cells = {cell_of("ASYNC_FLUSH", true, 25), cell_of("SYNC_FLUSH", false, 0)};
  return result;
}

TEST(Numbers, AreWrittenForPeople) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
  EXPECT_EQ(count_text(-999), "-999");
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(1'239'999), "1.23 ms");
  EXPECT_EQ(duration_text(12'399'999'999), "12.3 s");
  EXPECT_EQ(duration_text(1'230'000'000'000), "1230 s");
}

TEST(Numbers, QuantilesAreOfTheSample) {
  EXPECT_EQ(quantile({}, 50), 0);
  EXPECT_EQ(quantile({5}, 0), 5);
  EXPECT_EQ(quantile({4, 1, 3, 2}, 50), 2);
  EXPECT_EQ(quantile({4, 1, 3, 2}, 100), 4);
  EXPECT_EQ(quantile({4, 1, 3, 2}, 0), 1);
}

TEST(Answer, SaysWhatWasLostWhyAndWhatHelps) {
  const Answer answer = answer_of(async_result());
  EXPECT_EQ(answer.promised, "flushDiskType=ASYNC_FLUSH: a promise");
  EXPECT_NE(answer.lost.find("host.power-loss: 225 of 10,000 acknowledged messages, in 9 of 10 "
                             "runs; no write for 7.00 s"),
            std::string::npos)
      << answer.lost;
  EXPECT_NE(answer.why.find("with them 225 of 250 messages that were acknowledged before a flush"),
            std::string::npos)
      << answer.why;
  EXPECT_NE(answer.change.find("flushDiskType=SYNC_FLUSH: lost 0 of 10,000"), std::string::npos)
      << answer.change;
  EXPECT_NE(answer.sure.find("10 seeds per cell"), std::string::npos) << answer.sure;
}

TEST(Answer, ShowsAnOutageThatBeginsLater) {
  DrillResult result = async_result();
  result.cells.pop_back();
  for (RunResult& run : result.cells[0].runs) {
    run.rto.fault_ns = 300'000;
    run.rto.client_ns = 6'000'000'000;
  }
  EXPECT_TRUE(answer_of(result).lost.ends_with("; no write for 6.00 s (rto.client, median)"))
      << answer_of(result).lost;
  for (RunResult& run : result.cells[0].runs) run.rto.client_ns.reset();
  EXPECT_TRUE(answer_of(result).lost.ends_with("; no write ever after")) << answer_of(result).lost;
}

TEST(Answer, FaultsOfWhichTheSameIsToSayShareASentence) {
  DrillResult result = async_result();
  result.cells = {cell_of("ASYNC_FLUSH", true, 0), cell_of("ASYNC_FLUSH", true, 0)};
  for (RunResult& run : result.cells[1].runs) run.faults[0].kind = "host.panic";
  const std::string lost = answer_of(result).lost;
  EXPECT_TRUE(lost.starts_with("host.power-loss, host.panic: 0 of 10,000 ack")) << lost;
  EXPECT_EQ(lost.find(". "), lost.rfind(". ")) << lost;
}

TEST(Answer, NamesTheOtherCountsOnlyIfThereIsSomething) {
  DrillResult result = async_result();
  EXPECT_EQ(answer_of(result).lost.find("besides"), std::string::npos);
  result.cells[0].runs[0].loss.duplicates = 3;
  result.cells[0].runs[1].order.violations = 1;
  EXPECT_TRUE(answer_of(result).lost.ends_with("; besides: 3 duplicates, 1 out of order"))
      << answer_of(result).lost;
}

TEST(Answer, SpeaksOfNoOutageWhereNoFaultTookEffect) {
  DrillResult result = async_result();
  result.cells.pop_back();
  for (RunResult& run : result.cells[0].runs) {
    run.faults[0].began_ns = -1;
    run.rto = {};
  }
  EXPECT_TRUE(answer_of(result).lost.ends_with("; no fault took effect"));
  EXPECT_TRUE(answer_of(result).why.starts_with("no fault took effect")) << answer_of(result).why;
  EXPECT_EQ(summarise(result.cells[0]).rto_fault_never, 0);
  EXPECT_EQ(render_text(result, 100).find("never"), std::string::npos);
  EXPECT_EQ(render_markdown(result).find("never"), std::string::npos);
  result.cells[0].runs[0] = run_of(1, 1, "host.power-loss");
  EXPECT_TRUE(answer_of(result).lost.ends_with(
      "; no write for 7.00 s (median), in 9 runs no fault took effect"))
      << answer_of(result).lost;
  for (RunResult& run : result.cells[0].runs) run.faults.clear();
  EXPECT_TRUE(answer_of(result).why.starts_with("there was no fault")) << answer_of(result).why;
}

TEST(Answer, NeedsNoChangeWhereNothingIsLost) {
  DrillResult result = async_result();
  result.cells = {cell_of("SYNC_FLUSH", true, 0), cell_of("ASYNC_FLUSH", false, 25)};
  const Answer answer = answer_of(result);
  EXPECT_TRUE(answer.why.ends_with("that no flush had covered outlived it")) << answer.why;
  EXPECT_TRUE(answer.change.starts_with("none needed here; flushDiskType=ASYNC_FLUSH: lost 225"))
      << answer.change;
}

TEST(Answer, TheCheapestChangeIsTheOneOfFewestKeys) {
  DrillResult result = async_result();
  CellResult two_keys = cell_of("SYNC_FLUSH", false, 0);
  two_keys.changes["brokerRole"] = "SYNC_MASTER";
  result.cells.insert(result.cells.begin() + 1, two_keys);
  EXPECT_TRUE(answer_of(result).change.starts_with("flushDiskType=SYNC_FLUSH: lost 0"))
      << answer_of(result).change;
  result.cells.pop_back();
  EXPECT_TRUE(answer_of(result).change.starts_with("brokerRole=SYNC_MASTER,flushDiskType="))
      << answer_of(result).change;
  // What gave no answer is no answer.
  result.cells.back().runs[0].verdict = Verdict::inconclusive;
  EXPECT_EQ(
      answer_of(result).change,
      "not found: of 1 other setting in this matrix each loses messages too, acknowledges none, "
      "or gave no answer in some run");
}

// What cells change of the load or of the faults is nobody's setting, whatever it loses.
TEST(Answer, AnotherExperimentIsNoChange) {
  DrillResult result = async_result();
  result.cells[1].changes = {{"load/writers/w/rate", "1 kB/s"}};
  EXPECT_EQ(answer_of(result).change,
            "none among the settings of this drill: its cells differ in load, faults or behaviour "
            "alone");
  result.cells[1].changes = {{"flushDiskType", "SYNC_FLUSH"}, {"phases/warm", "1 s"}};
  EXPECT_TRUE(answer_of(result).change.starts_with("none among ")) << answer_of(result).change;
  result.cells[1].changes = {{"topology/hosts/h/disk/profile", "local-nvme"}};
  EXPECT_TRUE(answer_of(result).change.starts_with("topology/hosts/h/disk/profile=local-nvme: "))
      << answer_of(result).change;
  // Where nothing is lost only what a broker's file could say besides is worth a word.
  result.cells[0] = cell_of("ASYNC_FLUSH", true, 0);
  EXPECT_EQ(answer_of(result).change, "none needed here");
}

TEST(Answer, AChangeThatWasNotTriedUnderTheSameFaultsIsNotOffered) {
  DrillResult result = async_result();
  for (RunResult& run : result.cells[1].runs) run.faults[0].kind = "process.kill";
  EXPECT_TRUE(answer_of(result).change.starts_with("not found: ")) << answer_of(result).change;
}

TEST(Answer, AChangeIsNotPraisedWithoutItsOutage) {
  DrillResult result = async_result();
  const auto outage = [&result](std::size_t cell, std::int64_t ns) {
    for (RunResult& run : result.cells[cell].runs) run.rto.fault_ns = run.rto.client_ns = ns;
    return answer_of(result).change;
  };
  constexpr std::int64_t kSecond = 1'000'000'000;
  outage(0, kSecond);
  const std::string price =
      "; but after host.power-loss no write for 36.0 s (median) instead of 1.00 s";
  EXPECT_TRUE(outage(1, 36 * kSecond).ends_with(price)) << answer_of(result).change;
  outage(0, 10 * kSecond);
  EXPECT_EQ(outage(1, 12 * kSecond).find("no write"), std::string::npos) << "a quarter at most";
  EXPECT_NE(outage(1, 13 * kSecond).find("no write for 13.0 s"), std::string::npos);
  outage(0, kSecond / 10);
  EXPECT_EQ(outage(1, kSecond).find("no write"), std::string::npos) << "a second at most";
  EXPECT_NE(outage(1, kSecond + kSecond / 5).find("no write for 1.20 s"), std::string::npos);
  // Where writes stop for ever anyway nothing is longer.
  for (RunResult& run : result.cells[0].runs) run.rto.fault_ns.reset();
  EXPECT_EQ(outage(1, 36 * kSecond).find("no write"), std::string::npos);
}

TEST(Answer, WhoAcknowledgesNothingLosesNothingAndIsNotPraised) {
  DrillResult result = async_result();
  for (RunResult& run : result.cells[1].runs) run.loss.acked = 0;
  EXPECT_TRUE(answer_of(result).change.starts_with("not found: ")) << answer_of(result).change;
  EXPECT_EQ(answer_of(result).sure.find("a cell without a loss"), std::string::npos)
      << answer_of(result).sure;
  for (RunResult& run : result.cells[0].runs) {
    run.loss.acked = 0;
    run.loss.lost.clear();
  }
  const Answer answer = answer_of(result);
  EXPECT_TRUE(
      answer.change.starts_with("your settings acknowledged nothing; "
                                "flushDiskType=SYNC_FLUSH: acknowledged nothing"))
      << answer.change;
  EXPECT_TRUE(answer.lost.starts_with("host.power-loss: nothing was acknowledged; "))
      << answer.lost;
}

TEST(Answer, ARunThatGaveNoAnswerIsNotTakenForOneWithoutALoss) {
  DrillResult result = async_result();
  result.cells.pop_back();
  CellResult& cell = result.cells[0];
  cell.id["fault"] = "power-loss";
  for (RunResult& run : cell.runs) {
    run = RunResult();
    run.verdict = Verdict::harness;
  }
  Answer answer = answer_of(result);
  EXPECT_EQ(answer.lost, "fault power-loss: not known: 10 runs gave no answer");
  EXPECT_EQ(answer.why, "not known");
  EXPECT_EQ(answer.change, "not known: with your settings 10 runs gave no answer");
  // One of them did, and lost nothing: nine may have.
  cell.runs[0] = run_of(1, 0, "host.power-loss");
  answer = answer_of(result);
  EXPECT_TRUE(answer.lost.ends_with("; 9 runs gave no answer")) << answer.lost;
  EXPECT_EQ(answer.change, "not known: with your settings 9 runs gave no answer");
}

// A run without an end is no run without an answer to everything: what it lost is not known.
TEST(Answer, WhatNobodyCouldReadIsNotKnownAndNotNothing) {
  DrillResult result = async_result();
  result.cells.pop_back();
  for (RunResult& run : result.cells[0].runs) {
    run.verdict = Verdict::liveness;
    run.rto.fault_ns.reset();
    run.loss = LossReport();
    run.loss.read = false;
    run.loss.acked = 120;
    run.stopped_file_systems = {{"h", FileSystemEnd::shut_down, 4'000'000'000}};
  }
  Answer answer = answer_of(result);
  EXPECT_EQ(answer.lost,
            "host.power-loss: not known: 10 runs gave no answer: of 1,200 acknowledged messages "
            "nobody could read what is left; no write ever after");
  EXPECT_NE(answer.why.find("the xfs of h shut down 1.00 s after the fault"), std::string::npos)
      << answer.why;
  EXPECT_TRUE(answer.change.starts_with("not known: with your settings 10 runs gave no answer"))
      << answer.change;
  EXPECT_EQ(answer.sure.find("a cell without a loss"), std::string::npos) << answer.sure;
  const std::string text = render_text(result, 100);
  EXPECT_NE(text.find("1,200  not known"), std::string::npos) << text;
  EXPECT_EQ(run_from_json(run_to_json(result.cells[0].runs[0])), result.cells[0].runs[0]);
  // One of them is read: nine are open.
  result.cells[0].runs[0] = run_of(1, 0, "host.power-loss");
  answer = answer_of(result);
  EXPECT_TRUE(
      answer.lost.starts_with("host.power-loss: 0 of 1,000 acknowledged messages, in 0 of "
                              "1 run; "))
      << answer.lost;
  EXPECT_TRUE(
      answer.lost.ends_with("9 runs gave no answer: of 1,080 acknowledged messages nobody "
                            "could read what is left"))
      << answer.lost;
}

// The line of the consumers' table that begins with `cell`; empty: there is none.
std::string consumers_row(const std::string& text, const std::string& cell) {
  const std::size_t head = text.find("\nconsumers ");
  if (head == std::string::npos) return "";
  const std::size_t begin = text.find("\n" + cell, head + 1) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Text, WhatConsumersWereGivenOfAStoreThatNobodyReadIsNotKnown) {
  DrillResult result = async_result();
  EXPECT_EQ(consumers_row(render_text(result, 100), "fault="), "");
  const auto hide = [](CellResult& cell) {
    for (RunResult& run : cell.runs) {
      run.loss = LossReport();
      run.loss.read = false;
    }
  };
  hide(result.cells[0]);
  for (RunResult& run : result.cells[1].runs) run.deliveries.delivered = 4;
  const std::string text = render_text(result, 100);
  const std::string unread = consumers_row(text, "fault=power-loss,flushDiskType=ASYNC_FLUSH");
  std::size_t open = 0;
  for (std::size_t at = 0; (at = unread.find("not known", at)) != std::string::npos; ++at) ++open;
  EXPECT_EQ(open, 4u) << text;
  EXPECT_EQ(unread.find('0'), std::string::npos) << unread;
  const std::string read = consumers_row(text, "fault=power-loss,flushDiskType=SYNC_FLUSH");
  EXPECT_NE(read.find(" 40 "), std::string::npos) << text;
  // If no cell was read, nobody knows that there were no consumers.
  result.cells[1].runs = result.cells[0].runs;
  EXPECT_NE(consumers_row(render_text(result, 100), "fault="), "");
}

TEST(Answer, NamesCellsOfTheSameFaultsByTheirValues) {
  DrillResult result = async_result();
  result.cells[1] = cell_of("ASYNC_FLUSH", true, 0);
  result.cells[1].id["fault"] = "late";
  for (CellResult& cell : result.cells) {
    for (RunResult& run : cell.runs) run.faults.push_back(run.faults[0]);
  }
  const std::string fault = "host.power-loss and host.power-loss (fault=";
  const Answer answer = answer_of(result);
  EXPECT_TRUE(answer.lost.starts_with(fault + "power-loss): 225 of ")) << answer.lost;
  EXPECT_NE(answer.lost.find(". " + fault + "late): 0 of "), std::string::npos) << answer.lost;
  EXPECT_TRUE(answer.why.starts_with(fault + "power-loss): 225 messages were lost: "))
      << answer.why;
  EXPECT_TRUE(
      answer.why.ends_with(". " + fault + "late): every acknowledged message outlived all faults"))
      << answer.why;
}

TEST(Reports, TellWhichExpectationsWereNotEvaluated) {
  DrillResult result = async_result();
  ExpectationResult open;
  open.expectation.metric = Metric::acked_loss;
  open.expectation.over = Over::total;
  open.expectation.seeds_at_least = 20;
  open.runs = 10;
  result.cells[0].expectations = {open};
  const std::string why = "needs 20 runs that give an answer, and 10 did";
  const std::string text = render_text(result, 1'000);
  EXPECT_NE(text.find(": not evaluated, " + why), std::string::npos) << text;
  EXPECT_EQ(text.find("BROKEN"), std::string::npos) << text;
  const std::string page = render_markdown(result);
  EXPECT_NE(page.find("Expectations that were not evaluated:"), std::string::npos) << page;
  EXPECT_EQ(page.find("do not hold"), std::string::npos) << page;
  EXPECT_NE(render_junit(result).find("<skipped message=\"" + why), std::string::npos);
}

TEST(Answer, NamesWhoHadTooManyFilesOpen) {
  DrillResult result = async_result();
  result.cells[0].runs[0].refused_opens = {{"broker-a", 5}};
  result.cells[0].runs[1].refused_opens = {{"broker-a", 7}};
  EXPECT_TRUE(
      answer_of(result).why.ends_with("; in 2 runs broker-a had as many files and sockets open as "
                                      "it may (open_files), and 12 calls that needed one more "
                                      "failed"))
      << answer_of(result).why;
}

TEST(Answer, OtherDamageIsNoReasonToChangeNothing) {
  DrillResult result = async_result();
  result.cells.pop_back();
  for (RunResult& run : result.cells[0].runs) {
    run.loss.lost.clear();
    run.deliveries.skipped = 2;
  }
  const Answer answer = answer_of(result);
  EXPECT_TRUE(answer.lost.ends_with("20 that a consumer was put past")) << answer.lost;
  EXPECT_EQ(answer.change.find("none needed"), std::string::npos) << answer.change;
}

TEST(Answer, APriceHasItsDuplicates) {
  DrillResult result = async_result();
  result.cells[1].runs[0].loss.duplicates = 7;
  result.cells[1].runs[0].loss.unknown_stored = 5;
  EXPECT_NE(answer_of(result).change.find(
                "; 7 duplicates instead of 0; 5 messages of unknown outcome are stored instead "
                "of 0"),
            std::string::npos)
      << answer_of(result).change;
}

TEST(Answer, CountsOneOfAThingAsOne) {
  DrillResult result = async_result();
  for (CellResult& cell : result.cells) cell.runs.resize(1);
  result.cells[0].runs[0].loss.at_risk = 1;
  result.cells[0].runs[0].loss.lost.resize(1);
  const Answer answer = answer_of(result);
  EXPECT_TRUE(answer.sure.starts_with("simulated, 1 seed per cell")) << answer.sure;
  EXPECT_NE(answer.lost.find("in 1 of 1 run;"), std::string::npos) << answer.lost;
  EXPECT_NE(answer.why.find("1 of 1 message that was acknowledged before a flush covered it"),
            std::string::npos)
      << answer.why;
}

TEST(Markdown, HoldsTheAnswerAndARowPerCell) {
  DrillResult result = async_result();
  result.facts.title = "a | b";
  result.facts.replay = "drydock run x.json";
  const std::string text = render_markdown(result);
  EXPECT_TRUE(text.starts_with("# a \\| b\n")) << text;
  EXPECT_NE(text.find("| **how sure** | simulated, 10 seeds per cell"), std::string::npos) << text;
  EXPECT_NE(text.find("| fault=power-loss,flushDiskType=ASYNC\\_FLUSH (your file) | 10 | 10,000 | "
                      "225 | 9 | 7.00 s | detect 2.00 s, client 5.00 s | pass |"),
            std::string::npos)
      << text;
}

TEST(Repro, ComesBackAsItWasWrittenAndTellsWhatIsNew) {
  DrillResult result = async_result();
  EXPECT_FALSE(repro_of(result, "{}", false));
  RunResult& run = result.cells[0].runs[4];
  run.verdict = Verdict::safety;
  run.note = "lost";
  const auto repro = repro_of(result, R"({"drill":"d"})", true);
  ASSERT_TRUE(repro);
  const Repro back = parse_repro(render_repro(*repro));
  ASSERT_EQ(back.runs.size(), 1u);
  EXPECT_TRUE(back.perturb);
  EXPECT_EQ(back.runs[0].seed, 5u);
  EXPECT_EQ(back.runs[0].cell, result.cells[0].id);
  EXPECT_EQ(compare(back.runs[0], run), "the same failure, bit for bit: safety: lost");
  run.fingerprint = "other";
  EXPECT_EQ(compare(back.runs[0], run), "the same failure, on another way: safety: lost");
  run.note = "corrupt";
  EXPECT_EQ(compare(back.runs[0], run), "another failure: safety: corrupt");
  run.verdict = Verdict::pass;
  EXPECT_EQ(compare(back.runs[0], run), "no longer fails");
}

TEST(Repro, RefusesWhatIsNone) {
  for (const char* text : {"", "[]", "{}", R"({"format": "x"})", "\xff"}) {
    EXPECT_THROW((void)parse_repro(text), std::runtime_error) << text;
  }
}

TEST(Answer, PrintsZeroHonestly) {
  EXPECT_EQ(honest_zero(100),
            "0 of 100, ≤ 3/100 at 95 % under this fault mix; no field probability");
  EXPECT_EQ(honest_zero(2), "0 of 2, too few to bound anything; no field probability");
}

TEST(Text, BeginsWithTheFiveLinesAndEndsWithWhatIsNotModelled) {
  const std::string text = render_text(async_result(), 100);
  std::size_t at = 0;
  for (const char* label : {"promised ", "\nlost ", "\nwhy ", "\ncheapest change ", "\nhow sure ",
                            "\ncell ", "\nnot modelled\n  - something else\n"}) {
    const std::size_t found = text.find(label, at);
    ASSERT_NE(found, std::string::npos) << label << "\n" << text;
    at = found + 1;
  }
  EXPECT_NE(text.find("fault=power-loss,flushDiskType=ASYNC_FLUSH *"), std::string::npos) << text;
}

TEST(Text, ShowsWhereTheOutageWentAndWhyThereIsNoSteadyState) {
  const std::string text = render_text(async_result(), 100);
  const std::size_t head = text.find("rto.fault by stage (median)");
  ASSERT_NE(head, std::string::npos) << text;
  const std::string table = text.substr(head, text.find("\n\n", head) - head);
  EXPECT_NE(table.find("detect"), std::string::npos) << table;
  EXPECT_EQ(table.find("mount"), std::string::npos) << "no cell has it\n" << table;
  EXPECT_NE(table.find("2.00 s  5.00 s"), std::string::npos) << table;
  EXPECT_NE(table.find("the load ended too early"), std::string::npos) << table;
}

TEST(Text, CountsWhatIsInTheLogAlone) {
  DrillResult result = async_result();
  for (RunResult& run : result.cells[1].runs) {
    run.loss.lost.push_back({9, 0, 0, false});
    run.loss.lost.back().in_log_at = 4'660;
  }
  EXPECT_EQ(summarise(result.cells[0]).lost_in_log, 0);
  EXPECT_EQ(summarise(result.cells[1]).lost_in_log, 10);
  EXPECT_NE(render_text(result, 100).find("in log only"), std::string::npos);
}

TEST(Text, SaysNeverInsteadOfANumber) {
  DrillResult result = async_result();
  for (RunResult& run : result.cells[0].runs) run.rto.fault_ns = std::nullopt;
  EXPECT_NE(render_text(result, 100).find("never"), std::string::npos);
}

TEST(Text, ShowsHowToReplayARunThatFailed) {
  DrillResult result = async_result();
  result.facts.replay = "drydock run x.json";
  result.cells[1].runs[4].verdict = Verdict::safety;
  result.cells[1].runs[4].note = "1 acknowledged messages lost";
  const std::string text = render_text(result, 100);
  EXPECT_NE(text.find("drydock run x.json --seed N"), std::string::npos) << text;
  EXPECT_NE(text.find("--seed 5,"), std::string::npos) << text;
}

TEST(Text, ShowsWhereTwoRunsDiffer) {
  DrillResult result = async_result();
  RunResult& run = result.cells[0].runs[0];
  run.divergence = "the runs differ at event 7\n  first   a\n  second  b\n";
  run.verdict = Verdict::harness;
  const std::string text = render_text(result, 100);
  EXPECT_NE(text.find("                the runs differ at event 7\n                  first   a\n"),
            std::string::npos)
      << text;
}

TEST(Text, ShowsWhatTakeoversTookAndBroke) {
  DrillResult result = async_result();
  EXPECT_EQ(render_text(result, 200).find("takeovers"), std::string::npos);
  for (RunResult& run : result.cells[1].runs) {
    run.ownership = {.stale_reads = 2, .foreign_writes = 30};
    run.takeovers = {{.standby = "s",
                      .disk = "d1",
                      .began_ns = 1,
                      .steps_ns = {0, 2'000'000, 0, 0, 21'000'000, 0},
                      .completed = true}};
  }
  const std::string text = render_text(result, 200);
  const std::size_t table = text.find("takeovers (medians)");
  ASSERT_NE(table, std::string::npos);
  const std::size_t row = text.find("flushDiskType=SYNC_FLUSH", table);
  const std::string line = text.substr(row, text.find('\n', row) - row);
  EXPECT_NE(line.find(" 10 "), std::string::npos) << line;
  EXPECT_NE(line.find(" 20 "), std::string::npos) << line;
  EXPECT_NE(line.find(" 300 "), std::string::npos) << line;
  EXPECT_NE(line.find(" 2.00 ms "), std::string::npos) << line;
  EXPECT_NE(line.find(" 21.0 ms "), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with("  stale pages read and dirty pages landed")) << line;
}

TEST(Json, ARunSurvivesTheWayThereAndBack) {
  RunResult run = run_of(18'446'744'073'709'551'615u, 2, "process.kill");
  EXPECT_EQ(run_from_json(run_to_json(run)), run);
  run.faults[0].began_ns = -1;
  run.plan.clear();
  run.divergence = "a\n\"b\"";
  run.loss.lost[1].in_log_at = 4'660;
  run.loss.lost[1].queue = "drill/3";
  run.loss.lost[1].queue_offset = 7;
  run.loss.corrupt = 1;
  run.loss.damage = {"drill/3 at 8 is missing"};
  run.rto.client_ns = 0;
  run.rto.stages_ns = std::nullopt;
  run.rto.steady = Steady::reached;
  run.rto.steady_ns = 12;
  run.order = {1, {{1, 2, 3, 4, 5}}};
  run.loss.lost[0].histories = {{CopyEnd::cut_by_recovery, 1, 2, 3, 0}, {}};
  run.loss.lost[0].last_copy_fault = 0;
  run.refused_opens = {{"broker-a", 12}};
  run.ownership = {3, 4};
  run.takeovers = {{"s", "d1", 5, {1, 2, 3, 4, 5, 6}, 7, true, ""},
                   {"t", "d2", -1, {}, 0, false, "x"}};
  EXPECT_EQ(run_from_json(run_to_json(run)), run);
}

TEST(Json, TheWholeHasCellsRunsAndQuantiles) {
  DrillResult result = async_result();
  for (RunResult& run : result.cells[0].runs) run.rto.client_ns.reset();
  const std::string json = render_json(result);
  EXPECT_NE(json.find("\"id\": \"fault=power-loss,flushDiskType=SYNC_FLUSH\""), std::string::npos);
  EXPECT_NE(json.find("\"rto_client_never\": 10"), std::string::npos);
  EXPECT_NE(json.find("\"lost_in_log\": 0"), std::string::npos);
  EXPECT_EQ(json.back(), '\n');
}

TEST(Junit, CountsFailuresErrorsAndSkipped) {
  DrillResult result = async_result();
  result.cells[0].runs[0].verdict = Verdict::safety;
  result.cells[0].runs[0].note = "a < b";
  result.cells[0].runs[1].verdict = Verdict::harness;
  result.cells[0].runs[2].verdict = Verdict::inconclusive;
  const std::string xml = render_junit(result);
  EXPECT_NE(xml.find("tests=\"10\" failures=\"1\" errors=\"1\" skipped=\"1\""), std::string::npos)
      << xml;
  EXPECT_NE(xml.find("message=\"a &lt; b\""), std::string::npos);
}

}  // namespace
}  // namespace drydock::reports
