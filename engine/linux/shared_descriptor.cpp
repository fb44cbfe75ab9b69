#include "engine/linux/shared_descriptor.hpp"

#include <sys/stat.h>

#include "engine/linux/operations.hpp"

namespace drydock::on_linux {
namespace {

class CloseOperation : public Operation {
 public:
  explicit CloseOperation(OwnedDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
  void run() noexcept override { descriptor_.close(); }

 private:
  OwnedDescriptor descriptor_;
};

bool was_removed(const OwnedDescriptor& descriptor) {
  struct stat status{};
  return ::fstat(descriptor.get(), &status) == 0 && status.st_nlink == 0;
}

}  // namespace

SharedDescriptor share(Operations& operations, OwnedDescriptor descriptor) {
  const auto close = [&operations](OwnedDescriptor* held) {
    const std::unique_ptr<OwnedDescriptor> owner(held);
    if (!was_removed(*held)) return;  // Closed by its destructor.
    operations.submit_unowned(std::make_shared<CloseOperation>(std::move(*held)));
  };
  return std::shared_ptr<OwnedDescriptor>(new OwnedDescriptor(std::move(descriptor)), close);
}

}  // namespace drydock::on_linux
