// Shared blocks and chains: who holds what, and what a copy costs.
#include "engine/types/bytes.hpp"

#include <gtest/gtest.h>

#include <string>

namespace drydock {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
std::string text_of(const ByteChain& chain) { return text_of(chain.flatten().span()); }

TEST(SharedBytes, CopiesAndSlicesShareTheBlock) {
  const SharedBytes whole = SharedBytes::copy_of("commit log");
  const SharedBytes copy = whole;
  const SharedBytes slice = whole.slice(7, 3);
  EXPECT_EQ(copy.data(), whole.data());
  EXPECT_EQ(slice.data(), whole.data() + 7);
  EXPECT_EQ(text_of(slice.span()), "log");
}

TEST(SharedBytes, ABlockLivesAsLongAsItsLastHolder) {
  const std::size_t before = pool_bytes_in_use();
  SharedBytes slice;
  {
    const SharedBytes whole = SharedBytes::copy_of(std::string(5'000, 'x'));
    slice = whole.slice(4'990, 10);
  }
  EXPECT_GT(pool_bytes_in_use(), before);
  EXPECT_EQ(text_of(slice.span()), std::string(10, 'x'));
  slice = SharedBytes();
  EXPECT_EQ(pool_bytes_in_use(), before);
}

TEST(SharedBytes, OnlyASoleHolderMayWrite) {
  SharedBytes bytes = SharedBytes::zeros(4);
  EXPECT_TRUE(bytes.sole_holder());
  bytes.writable()[1] = std::byte{7};
  const SharedBytes other = bytes;
  EXPECT_FALSE(bytes.sole_holder());
  EXPECT_DEATH(bytes.writable(), "ENSURE failed: .*references == 1");
  EXPECT_EQ(other.span()[1], std::byte{7});
  EXPECT_EQ(other.span()[2], std::byte{0});
}

TEST(SharedBytes, MovingLeavesNothingBehind) {
  SharedBytes from = SharedBytes::copy_of("abc");
  SharedBytes to = std::move(from);
  EXPECT_TRUE(from.empty());
  EXPECT_EQ(from.data(), nullptr);
  EXPECT_TRUE(to.sole_holder());
  SharedBytes& alias = to;
  to = alias;
  EXPECT_EQ(text_of(to.span()), "abc");
  EXPECT_TRUE(to.sole_holder());
}

TEST(SharedBytes, EmptyBytesNeedNoBlock) {
  const std::size_t before = pool_bytes_in_use();
  SharedBytes none = SharedBytes::allocate(0);
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.writable().empty());
  EXPECT_TRUE(none.slice(0, 0).empty());
  EXPECT_TRUE(SharedBytes::copy_of(std::string_view()).empty());
  EXPECT_FALSE(none.sole_holder());
  EXPECT_EQ(pool_bytes_in_use(), before);
}

TEST(SharedBytes, SlicesStayInside) {
  const SharedBytes bytes = SharedBytes::copy_of("abc");
  EXPECT_EQ(bytes.slice(3, 0).size(), 0u);
  EXPECT_DEATH(bytes.slice(4, 0), "ENSURE failed");
  EXPECT_DEATH(bytes.slice(1, 3), "ENSURE failed");
  EXPECT_DEATH(bytes.slice(1, ~std::size_t{0}), "ENSURE failed");
}

ByteChain chain_of(std::initializer_list<std::string_view> pieces) {
  ByteChain chain;
  for (const std::string_view piece : pieces) chain.append(SharedBytes::copy_of(piece));
  return chain;
}

TEST(ByteChain, PiecesAreNeverEmpty) {
  const ByteChain chain = chain_of({"ab", "", "cde"});
  EXPECT_EQ(chain.pieces().size(), 2u);
  EXPECT_EQ(chain.size(), 5u);
  EXPECT_TRUE(ByteChain(SharedBytes()).empty());
}

TEST(ByteChain, CopyToCrossesPieces) {
  const ByteChain chain = chain_of({"ab", "cde", "f"});
  for (std::size_t offset = 0; offset <= chain.size(); ++offset) {
    for (std::size_t length = 0; offset + length <= chain.size(); ++length) {
      std::string out(length, '?');
      chain.copy_to(offset, std::as_writable_bytes(std::span(out.data(), out.size())));
      EXPECT_EQ(out, std::string("abcdef").substr(offset, length));
    }
  }
}

TEST(ByteChain, CopyToStaysInside) {
  const ByteChain chain = chain_of({"ab", "c"});
  std::byte two[2];
  EXPECT_DEATH(chain.copy_to(2, two), "ENSURE failed");
  EXPECT_DEATH(chain.copy_to(4, {}), "ENSURE failed");
}

TEST(ByteChain, FlattenSharesASinglePiece) {
  const SharedBytes piece = SharedBytes::copy_of("one");
  EXPECT_EQ(ByteChain(piece).flatten().data(), piece.data());
  EXPECT_TRUE(ByteChain().flatten().empty());
  EXPECT_EQ(text_of(chain_of({"ab", "c"})), "abc");
}

TEST(ByteChain, AppendingAChainKeepsTheOrder) {
  ByteChain chain = chain_of({"ab"});
  chain.append(chain_of({"c", "de"}));
  EXPECT_EQ(text_of(chain), "abcde");
  EXPECT_EQ(chain.size(), 5u);
}

TEST(ByteChain, AMovedChainIsEmptyAndCanBeUsedAgain) {
  ByteChain chain = chain_of({"ab", "c"});
  const ByteChain taken = std::move(chain);
  EXPECT_EQ(taken.size(), 3u);
  EXPECT_TRUE(chain.empty());
  EXPECT_EQ(chain.size(), 0u);
  chain.append(SharedBytes::copy_of("d"));
  EXPECT_EQ(chain.size(), 1u);
  ByteChain assigned;
  assigned = std::move(chain);
  EXPECT_TRUE(chain.empty());
  EXPECT_EQ(text_of(assigned), "d");
}

}  // namespace
}  // namespace drydock
