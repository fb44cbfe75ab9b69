// drydock calibrate: from what fio measured on a disk to a profile that scenarios can name.
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "reports/render/layout.hpp"
#include "scenarios/drill/drill.hpp"
#include "sim/disk/depth_model.hpp"
#include "sim/profiles/builtin_profiles.hpp"
#include "sim/profiles/embedded_files.hpp"
#include "sim/profiles/fit.hpp"
#include "sim/profiles/profile_reader.hpp"
#include "sim/profiles/profile_writer.hpp"
#include "sim/profiles/quantity.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/input_file.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

using scenarios::InputError;

// The script is the same whatever the others say.
void refuse_beside_script(const CalibrateOptions& options) {
  const char* other = nullptr;
  if (options.journal) other = "--journal";
  if (options.out) other = "--out";
  if (options.base) other = "--base";
  if (!options.fio.empty()) other = "--fio";
  if (other == nullptr) return;
  throw InputError("--script prints what to measure and does nothing else: " + std::string(other) +
                   " has no effect beside it");
}

int print_script() {
  for (const sim::EmbeddedFile& file : sim::embedded_files()) {
    if (file.name == "fio_script.sh") std::fwrite(file.text.data(), 1, file.text.size(), stdout);
  }
  return 0;
}

// A name of the project's own profiles, or a file.
sim::Profile base_of(const std::string& name) {
  if (const sim::Profile* builtin = sim::builtin_profile(name)) return *builtin;
  if (!name.ends_with(".json")) {
    std::string known;
    for (const std::string& one : sim::builtin_profile_names()) known += one + ", ";
    throw InputError("--base: there is no '" + printable(name) + "'; known here: " + known +
                     "or a FILE.json");
  }
  auto profile = sim::read_profile(name, read_file(name));
  if (!profile) throw InputError(printable(profile.error()));
  return std::move(*profile);
}

std::vector<sim::FioJob> jobs_of(const std::vector<std::string>& files) {
  std::vector<sim::FioJob> jobs;
  std::set<std::string> seen;
  for (const std::string& file : files) {
    if (!seen.insert(file).second)
      throw InputError("--fio: " + printable(file) + " is given twice");
    auto read = sim::read_fio(file, read_file(file, kWrittenInputBytesMax));
    if (!read) throw InputError(printable(read.error()));
    jobs.insert(jobs.end(), read->begin(), read->end());
  }
  return jobs;
}

// "my-disk" for "out/my disk.json".
std::string name_of_file(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    if (!plain) c = '-';
  }
  if (name.empty()) throw InputError("--out: names no file");
  return name;
}

// The profile would take the place of what it is made of.
void refuse_out_as_input(const CalibrateOptions& options) {
  for (const std::string& file : options.fio) {
    std::error_code none_there;
    if (file != *options.out && !std::filesystem::equivalent(file, *options.out, none_there))
      continue;
    throw InputError("--out: " + printable(*options.out) + " is one of --fio");
  }
}

void refuse_journal_without_fsync(const std::vector<sim::FioJob>& jobs) {
  for (const sim::FioJob& job : jobs) {
    if (job.sync == sim::FioSync::fsync && job.block_bytes == 4 << 10) return;
  }
  throw InputError("--journal has no effect: none of the jobs writes 4 KiB with fsync=1");
}

// In per cent with one decimal: people read it.
std::string residual_text(const sim::FitRow& row) {
  if (row.measured == 0) return "-";
  char text[32];
  std::snprintf(
      text, sizeof text, "%+.1f%%",
      100.0 * static_cast<double>(row.fit - row.measured) / static_cast<double>(row.measured));
  return text;
}

// Three digits that count: the file has all of them.
std::string short_time(std::int64_t ns) {
  std::int64_t unit = 1;
  while (ns / unit >= 1'000 * 10) unit *= 10;
  return sim::text_of(sim::ProfileUnit::time, (ns + unit / 2) / unit * unit);
}

void print_table(const sim::FitTable& table) {
  std::printf("\n%s\n  %-10s %12s %12s %9s\n", table.title.c_str(), "", "fit", "measured",
              "residual");
  for (const sim::FitRow& row : table.rows) {
    std::printf("  %-10s %12s %12s %9s%s\n", row.name.c_str(), short_time(row.fit).c_str(),
                short_time(row.measured).c_str(), residual_text(row).c_str(),
                row.beyond ? "  too few samples, not fitted" : "");
  }
}

void print_section(const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  std::printf("\n%s", reports::list(title, lines, terminal_width()).c_str());
}

void print_values(const sim::Profile& profile) {
  std::printf("\nvalues\n");
  for (const sim::KeyRule& rule : sim::key_rules()) {
    const auto& value = profile[rule.key];
    if (!value || value->form != sim::ProfileValue::Form::single) continue;
    if (value->stamp.evidence != sim::Evidence::measured) continue;
    const bool is_flag = rule.unit == sim::ProfileUnit::flag;
    const std::string text =
        is_flag ? (value->low != 0 ? "true" : "false") : sim::text_of(rule.unit, value->low);
    std::printf("  %-26s %14s  %s\n", std::string(rule.name).c_str(), text.c_str(),
                value->stamp.citation.c_str());
  }
}

void print(const sim::Calibration& calibration, const std::string& base) {
  std::printf("jobs\n");
  for (const sim::JobUse& use : calibration.uses) {
    std::printf("  %s: %s\n", printable(use.job).c_str(), use.use.c_str());
  }
  for (const sim::FitTable& table : calibration.tables) print_table(table);
  print_values(calibration.profile);
  print_section("notes", calibration.notes);
  print_section("doubtful", calibration.flags);
  std::string kept;
  for (const std::string_view name : calibration.kept) {
    kept += (kept.empty() ? "" : ", ") + std::string(name);
  }
  print_section("not measured", {"as in " + base + ": " + (kept.empty() ? "nothing" : kept)});
}

void write_file(const std::string& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw InputError("--out: " + path + ": cannot be written");
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) throw InputError("--out: " + path + ": cannot be written");
}

}  // namespace

int calibrate(const CalibrateOptions& options) {
  if (options.script) {
    refuse_beside_script(options);
    return print_script();
  }
  if (options.fio.empty())
    throw InputError("--fio: names no file; --script prints what to measure");
  if (!options.out) throw InputError("--out: names no file for the profile");
  refuse_out_as_input(options);
  const sim::Profile base = base_of(options.base.value_or("local-nvme"));
  const std::vector<sim::FioJob> jobs = jobs_of(options.fio);
  if (options.journal) refuse_journal_without_fsync(jobs);
  const sim::CalibrationOptions what{.name = name_of_file(*options.out),
                                     .journal = options.journal,
                                     .model = sim::command_ns_at_depth};
  const auto calibration = sim::calibrate(jobs, base, what);
  if (!calibration) throw InputError(printable(calibration.error()));
  write_file(*options.out, sim::write_profile(calibration->profile));
  print(*calibration, base.name);
  return 0;
}

}  // namespace drydock::cli
