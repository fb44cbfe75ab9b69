// What the tests of engine/linux share: a world, a directory of their own, programs run to their
// end. Nothing here sleeps; the limit only turns a hang into a failure.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/linux/descriptor.hpp"
#include "engine/linux/world.hpp"

namespace drydock::on_linux::test {

inline constexpr Duration kHangLimit = Duration::s(60);

// A directory that goes with the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(std::filesystem::temp_directory_path() / "drydock-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The descriptor limit of this program, lowered to what is open now.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    const OwnedDescriptor next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    now.rlim_cur = static_cast<rlim_t>(next.get());
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~NoMoreDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

// Log lines of worlds under test, for nobody.
inline LogSink no_log() {
  return [](std::string_view, LogLevel, const std::string&) {};
}

// A world whose processes see the test's own directory as "/".
class LinuxTest : public ::testing::Test {
 protected:
  explicit LinuxTest(FileIo file_io = FileIo::ring_if_allowed)
      : world({.file_io = file_io, .seed = 1, .log_sink = no_log()}) {}

  LinuxProcess& start(std::string name, Program program) {
    LinuxProcess& process = world.spawn(std::move(name), {.root = directory.path()});
    process.start(std::move(program));
    return process;
  }
  // Runs a process to its end.
  void run(Program program) {
    LinuxProcess& process = start("test", std::move(program));
    run_until_dead(process);
    EXPECT_EQ(process.end(), ProcessEnd::exited);
  }
  void run_until_dead(LinuxProcess& process) {
    EXPECT_TRUE(world.run_until([&] { return !process.alive(); }, kHangLimit));
  }
  std::string on_disk(std::string_view path) const { return directory.path() + std::string(path); }

  TemporaryDirectory directory;
  LinuxWorld world;
};

// The same once with io_uring and once without. Where the kernel refuses it, both are the same.
class FileIoTest : public LinuxTest, public ::testing::WithParamInterface<FileIo> {
 protected:
  FileIoTest() : LinuxTest(GetParam()) {}
};

inline std::string file_io_name(const ::testing::TestParamInfo<FileIo>& tested) {
  return tested.param == FileIo::lanes_only ? "Lanes" : "Ring";
}

#define INSTANTIATE_FOR_BOTH(suite) \
  INSTANTIATE_TEST_SUITE_P(         \
      , suite, ::testing::Values(FileIo::ring_if_allowed, FileIo::lanes_only), file_io_name)

inline std::string text_of(const ByteChain& chain) {
  const SharedBytes flat = chain.flatten();
  return std::string(reinterpret_cast<const char*>(flat.data()), flat.size());
}

// The code of a failed result, for EXPECT_EQ; `cancelled` never fails that way by accident.
template <class T>
ErrorCode code_of(const Result<T>& result) {
  EXPECT_FALSE(result.has_value());
  return result ? ErrorCode::cancelled : result.error().code();
}

}  // namespace drydock::on_linux::test
