// Pure: metrics as Prometheus reads them, text format 0.0.4, and the little of HTTP that it takes
// to fetch them.
//
// Written by hand: prometheus-cpp's exposer brings a web server with threads of its own, into a
// process in which one thread runs all that the engine can see, and the rest of it is counters that
// the engine has already.
//
// Source: Prometheus, Exposition formats; RFC 9112.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace drydock {

enum class MetricKind : std::uint8_t { counter, gauge };

class MetricsText {
 public:
  using Label = std::pair<std::string_view, std::string_view>;

  // `common`: labels that every sample has.
  explicit MetricsText(std::initializer_list<Label> common);

  // The head of a family; its samples follow. `help` is one line.
  void family(std::string_view name, MetricKind kind, std::string_view help);
  void sample(std::int64_t value, std::initializer_list<Label> labels = {});

  std::string take() { return std::move(text_); }

 private:
  void add(Label label);

  std::string common_;
  std::string name_;
  std::string text_;
};

// What came of the head of an HTTP request.
enum class HttpRequest : std::uint8_t {
  incomplete,  // More has to come.
  metrics,     // GET /metrics.
  metrics_head,
  not_found,
  method_not_allowed,
  bad,
  too_long,  // Its head has more than kHttpHeadBytesMax.
};
inline constexpr std::size_t kHttpHeadBytesMax = 8'192;

// `received`: all that came so far. A body is not looked at.
HttpRequest read_http_request(std::string_view received);
// A whole response; the connection is to be closed behind it. `metrics` is its body if that was
// asked for.
std::string http_response(HttpRequest request, std::string_view metrics);

}  // namespace drydock
