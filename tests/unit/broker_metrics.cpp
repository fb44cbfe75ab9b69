// Metrics for Prometheus: the text, the little of HTTP around it, and the endpoint of a broker.
#include <gtest/gtest.h>

#include <functional>

#include "engine/broker/broker.hpp"
#include "engine/broker/metrics_text.hpp"
#include "engine/wire/send_message.hpp"
#include "tests/support/raw_client.hpp"

namespace drydock::test {
namespace {

TEST(BrokerMetricsText, SamplesHaveTheCommonLabelsAndTheirOwn) {
  MetricsText text({{"node_id", "a"}});
  text.family("x_total", MetricKind::counter, "Things.");
  text.sample(3, {{"topic", "t"}});
  text.sample(4);
  EXPECT_EQ(text.take(),
            "# HELP x_total Things.\n# TYPE x_total counter\n"
            "x_total{node_id=\"a\",topic=\"t\"} 3\nx_total{node_id=\"a\"} 4\n");
}

TEST(BrokerMetricsText, WhatEndsALabelIsEscaped) {
  MetricsText text({});
  text.family("x", MetricKind::gauge, "Things.");
  text.sample(1, {{"topic", "a\"b\\c\nd"}});
  EXPECT_NE(text.take().find("x{topic=\"a\\\"b\\\\c\\nd\"} 1\n"), std::string::npos);
}

TEST(BrokerMetricsHttp, OnlyAGetOfMetricsIsAnswered) {
  const auto request = [](std::string line) { return read_http_request(line + "\r\n\r\n"); };
  EXPECT_EQ(request("GET /metrics HTTP/1.1"), HttpRequest::metrics);
  EXPECT_EQ(request("GET /metrics?x=1 HTTP/1.0\r\nHost: a"), HttpRequest::metrics);
  EXPECT_EQ(request("HEAD /metrics HTTP/1.1"), HttpRequest::metrics_head);
  EXPECT_EQ(request("GET / HTTP/1.1"), HttpRequest::not_found);
  EXPECT_EQ(request("POST /metrics HTTP/1.1"), HttpRequest::method_not_allowed);
  for (const char* line : {"", "GET", "GET /metrics", "GET  HTTP/1.1", "get /metrics HTTP/1.1",
                           "GET metrics HTTP/1.1", "GET /a b HTTP/1.1", "GET /metrics HTTP/2"}) {
    EXPECT_EQ(request(line), HttpRequest::bad) << line;
  }
}

TEST(BrokerMetricsHttp, AHeadMayTakeItsTimeAndNotMoreThanItsRoom) {
  EXPECT_EQ(read_http_request("GET /metrics HT"), HttpRequest::incomplete);
  const std::string room(kHttpHeadBytesMax, 'a');
  EXPECT_EQ(read_http_request(room), HttpRequest::incomplete);
  EXPECT_EQ(read_http_request(room + "a"), HttpRequest::too_long);
  EXPECT_EQ(read_http_request(room + "a\r\n\r\n"), HttpRequest::too_long);
}

TEST(BrokerMetricsHttp, AResponseSaysHowLongItIs) {
  EXPECT_EQ(http_response(HttpRequest::metrics, "x 1\n"),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
            "Content-Length: 4\r\nConnection: close\r\n\r\nx 1\n");
  EXPECT_EQ(http_response(HttpRequest::metrics_head, "x 1\n").find("x 1"), std::string::npos);
  EXPECT_NE(http_response(HttpRequest::method_not_allowed, "x").find("Allow: GET, HEAD\r\n"),
            std::string::npos);
}

// A broker with an endpoint, and what an HTTP client reads from it to the end.
class Endpoints : public BrokerWorld {
 public:
  explicit Endpoints(const std::function<void(BrokerConfiguration&)>& change = {}) {
    if (change) change(configuration);
    sim::SimProcess& process = host(1).spawn("broker");
    process.attach(network.attach(host(1), process), files.attach());
    const BrokerConfiguration copy = configuration;
    process.start([copy](Context& context) {
      BrokerWatch watch;
      watch.metrics_port = kPort;
      return run_broker(context, copy, std::move(watch));
    });
    run_for(Duration());
  }
  std::string fetch(const std::string& request) {
    Actor& client = actor(0);
    const Pending<std::size_t> connected =
        client.connect(Endpoint{broker_endpoint().address, kPort});
    run_for(Duration::s(1));
    ENSURE(connected->ok());
    client.write(SharedBytes::copy_of(request));
    std::string all;
    for (;;) {
      const Pending<ByteChain> read = client.read();
      run_for(Duration::s(1));
      if (!read->done() || !read->ok()) {
        ended_cleanly = read->done() && read->result->error().code() == ErrorCode::end_of_stream;
        return all;
      }
      all += as_text((*read->result)->flatten().span());
    }
  }

  bool ended_cleanly = false;  // The last answer, with no reset.
};

TEST(BrokerMetricsEndpoint, ItTellsWhatWasSent) {
  Endpoints world;
  RawClient client(world);
  SendMessageHeader header;
  header.producer_group = "g";
  header.topic = "orders";
  ASSERT_EQ(client
                .ask(encode_command(request_head(RequestCode::send_message_v2, 1), header, {},
                                    as_byte_span(std::string_view("body"))))
                .size(),
            1U);
  const std::string page = world.fetch("GET /metrics HTTP/1.1\r\nHost: b\r\n\r\n");
  EXPECT_TRUE(page.starts_with("HTTP/1.1 200 OK\r\n")) << page;
  EXPECT_NE(page.find("\n# TYPE rocketmq_messages_in_total counter\n"), std::string::npos);
  EXPECT_NE(page.find("topic=\"orders\",is_system=\"false\"} 1\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\n# TYPE rocketmq_storage_dispatch_behind_bytes gauge\n"),
            std::string::npos);
}

TEST(BrokerMetricsEndpoint, ItTellsOfTheTransientPoolWhereThereIsOne) {
  const std::string request = "GET /metrics HTTP/1.1\r\n\r\n";
  Endpoints without;
  EXPECT_EQ(without.fetch(request).find("drydock_transient_pool"), std::string::npos);
  Endpoints world([](BrokerConfiguration& configuration) {
    configuration.store.transient_store_pool_enable = true;
    configuration.store.commit_interval_commit_log = Duration::s(3'600);
  });
  RawClient client(world);
  SendMessageHeader header;
  header.producer_group = "g";
  header.topic = "orders";
  client.ask(encode_command(request_head(RequestCode::send_message_v2, 1), header, {},
                            as_byte_span(std::string_view("body"))));
  const std::string page = world.fetch(request);
  // Of five, the file in use and the one behind it have theirs.
  EXPECT_NE(page.find("drydock_transient_pool_free_buffers{cluster=\"DefaultCluster\","
                      "node_type=\"broker\",node_id=\"broker\"} 3\n"),
            std::string::npos)
      << page;
  const std::size_t at = page.find("\ndrydock_transient_pool_uncommitted_bytes{");
  ASSERT_NE(at, std::string::npos) << page;
  EXPECT_GT(std::stoll(page.substr(page.find('}', at) + 2)), 0);
}

TEST(BrokerMetricsEndpoint, WhatIsNoRequestIsRefusedAndTheNextOneIsServed) {
  Endpoints world;
  EXPECT_TRUE(world.fetch("\x16\x03\x01 TLS\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(world.fetch(std::string(200'000, 'a')).starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(world.ended_cleanly);
  EXPECT_TRUE(world.fetch("GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace drydock::test
