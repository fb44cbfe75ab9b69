// Bodies that name servers read and write: routes, clusters, registrations in both forms. The first
// byte says which. What was understood is understood in the same way when it is written again.
#include "engine/types/ensure.hpp"
#include "engine/wire/register_broker.hpp"
#include "engine/wire/topic_route.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace drydock::fuzz {

namespace {

void read_route(std::span<const std::byte> bytes) {
  const std::optional<TopicRoute> route = decode_topic_route(bytes);
  if (!route) return;
  for (const JsonKeys keys : {JsonKeys::integers_bare, JsonKeys::all_quoted}) {
    const SharedBytes once = encode_topic_route(*route, keys);
    const std::optional<TopicRoute> again = decode_topic_route(once.span());
    ENSURE(again.has_value());
    ENSURE(text_of(encode_topic_route(*again, keys).span()) == text_of(once.span()));
  }
}

void read_clusters(std::span<const std::byte> bytes) {
  const std::optional<ClusterInfo> info = decode_cluster_info(bytes);
  if (!info) return;
  const SharedBytes once = encode_cluster_info(*info);
  const std::optional<ClusterInfo> again = decode_cluster_info(once.span());
  ENSURE(again.has_value());
  ENSURE(text_of(encode_cluster_info(*again).span()) == text_of(once.span()));
}

void read_registration(std::span<const std::byte> bytes, BodyForm form) {
  const std::optional<RegisterBrokerBody> body = decode_register_broker_body(bytes, form);
  if (!body) return;
  const SharedBytes once = encode_register_broker_body(*body, form);
  const std::optional<RegisterBrokerBody> again = decode_register_broker_body(once.span(), form);
  ENSURE(again.has_value());
  ENSURE(again->data_version == body->data_version);
  ENSURE(text_of(encode_register_broker_body(*again, form).span()) == text_of(once.span()));
}

}  // namespace

std::vector<std::string> seeds() {
  const BrokerData broker{
      .broker_name = "b", .cluster = "c", .addresses = {{0, "10.0.0.2:10911"}, {1, "10.0.0.3:1"}}};
  const TopicRoute route{.queues = {{"b", 8, 8, 6, 0}}, .brokers = {broker}};
  const ClusterInfo info{.brokers = {{"b", broker}}, .clusters = {{"c", {"b"}}}};
  const TopicConfig topic{.topic = "T", .read_queues = 8, .write_queues = 8};
  const RegisterBrokerBody body{.data_version = {0, 3, 1'700'000'000'000}, .topics = {topic}};
  return {"0" + text_of(encode_topic_route(route, JsonKeys::integers_bare).span()),
          "1" + text_of(encode_cluster_info(info).span()),
          "2" + text_of(encode_register_broker_body(body, BodyForm::json).span()),
          "3" + text_of(encode_register_broker_body(body, BodyForm::compressed).span())};
}

}  // namespace drydock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace drydock;
  if (size == 0) return 0;
  const std::span<const std::byte> bytes = fuzz::bytes_of(data + 1, size - 1);
  switch (data[0] % 4) {  // '0' is divided by 4 without a rest.
    case 0: fuzz::read_route(bytes); break;
    case 1: fuzz::read_clusters(bytes); break;
    case 2: fuzz::read_registration(bytes, BodyForm::json); break;
    default: fuzz::read_registration(bytes, BodyForm::compressed);
  }
  return 0;
}
