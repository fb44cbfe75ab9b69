// tests/fuzz throws arbitrary bytes at the decoders of what strangers send or leave behind: no
// crash, no undefined behaviour, no memory out of proportion to the input.
//
// This file: frames of the remoting protocol, as they arrive in pieces.
#include <cstdint>

#include "engine/wire/remoting_frame.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace drydock {

std::vector<std::string> fuzz::seeds() {
  const std::string binary =
      fuzz::text_of(encode_command(request_head(RequestCode::heart_beat, 7), NoFields(), "remark",
                                   as_byte_span("body"))
                        .span());
  const std::string json = fuzz::text_of(
      json_frame(R"({"code":10,"extFields":{"k":"v"},"flag":0,"language":"JAVA","opaque":7,)"
                 R"("serializeTypeCurrentRPC":"JSON","version":479})",
                 0)
          .span());
  return {"\x03" + binary, "\x10" + json + binary, "\x20" + binary + json};
}

}  // namespace drydock

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
