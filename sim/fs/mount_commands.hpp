// The device commands of a mounted file system. Private to the parts of Mount.
#pragma once

#include "sim/disk/command_wait.hpp"
#include "sim/fs/mount.hpp"

namespace drydock::sim {

// Consecutive pages of a file on their way to consecutive blocks.
class Mount::PageWrite final : public DiskCommand {
 public:
  using DiskCommand::Write;
  // `parts`: null if the range is all that is under writeback together.
  PageWrite(Mount& mount, Inode& inode, PageRange range, std::shared_ptr<WrittenParts> parts,
            Write write)
      : DiskCommand(std::move(write)),
        mount_(mount),
        inode_(inode),
        range_(range),
        parts_(std::move(parts)) {}
  void completed(Result<void> outcome) override {
    mount_.write_ended(inode_, range_, parts_.get(), std::move(outcome));
  }
  void submitter_blocked() override {
    mount_.cache_->submission_blocked(inode_, together(), WaitPlace::device);
  }
  void submitter_goes_on() override {
    if (!mount_.dead()) mount_.cache_->submission_goes_on(inode_, together());
  }

 private:
  // The first page of what is under writeback together.
  std::int64_t together() const { return parts_ != nullptr ? parts_->first : range_.first; }

  Mount& mount_;
  Inode& inode_;
  PageRange range_;
  std::shared_ptr<WrittenParts> parts_;
};

// A part of a direct write.
class Mount::DirectWriteCommand final : public DiskCommand {
 public:
  using DiskCommand::Write;
  DirectWriteCommand(Mount& mount, Inode& inode, std::shared_ptr<DirectWrite> direct, Write write)
      : DiskCommand(std::move(write)), mount_(mount), inode_(inode), direct_(std::move(direct)) {}
  void completed(Result<void> outcome) override {
    mount_.direct_write_ended(inode_, *direct_, std::move(outcome));
  }

 private:
  Mount& mount_;
  Inode& inode_;
  std::shared_ptr<DirectWrite> direct_;
};

// The other way.
class Mount::PageReadCommand final : public DiskCommand {
 public:
  using DiskCommand::Read;
  PageReadCommand(Mount& mount, Inode& inode, std::shared_ptr<PageRead> read, Read command)
      : DiskCommand(command), mount_(mount), inode_(inode), read_(std::move(read)) {}
  void completed(Result<void> outcome) override {
    mount_.read_ended(inode_, read_, bytes(), std::move(outcome));
  }

 private:
  Mount& mount_;
  Inode& inode_;
  std::shared_ptr<PageRead> read_;
};

// A part of a direct read. The transfer holds the inode's blocks until the device has answered,
// also if the process that asked for it is killed meanwhile: its frame never goes on.
class Mount::DirectReadCommand final : public AwaitedCommand {
 public:
  DirectReadCommand(Mount& mount, Inode& inode, Read command)
      : AwaitedCommand(command), mount_(mount), inode_(inode) {
    ++inode_.device_io;
  }
  void completed(Result<void> outcome) override {
    mount_.device_io_ended(inode_);
    AwaitedCommand::completed(std::move(outcome));
  }

 private:
  Mount& mount_;
  Inode& inode_;
};

// A step of mounting.
class Mount::MountCommand final : public DiskCommand {
 public:
  using DiskCommand::Flush;
  using DiskCommand::Read;
  using DiskCommand::Write;
  template <class Request>
  MountCommand(Mount& mount, Request request) : DiskCommand(std::move(request)), mount_(mount) {}
  void completed(Result<void> outcome) override { mount_.mount_step(std::move(outcome)); }

 private:
  Mount& mount_;
};

}  // namespace drydock::sim
