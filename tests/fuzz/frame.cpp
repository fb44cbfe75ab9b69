// tests/fuzz throws arbitrary bytes at the decoders of what strangers send or leave behind: no
// crash, no undefined behaviour, no memory out of proportion to the input.
//
// This file: frames of the remoting protocol, as they arrive in pieces.
#include <cstdint>

#include "engine/wire/remoting_frame.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  // The first byte says where the stream is cut.
  const std::size_t cut = size == 0 ? 0 : data[0] % (size + 1);
  FrameDecoder decoder;
  for (const auto part : {bytes.first(cut), bytes.subspan(cut)}) {
    decoder.feed(ByteChain(SharedBytes::copy_of(part)));
    RemotingCommand command;
    while (decoder.next(command) == FrameDecoder::Step::command) {
    }
  }
  return 0;
}
