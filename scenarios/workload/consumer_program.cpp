#include "scenarios/workload/consumer_program.hpp"

#include <charconv>
#include <memory>

#include "engine/client/pull_consumer.hpp"

namespace drydock::scenarios {
namespace {

// How long a look for the topic's queues, or for messages, may take before the consumer looks
// whether it has been asked to stop.
constexpr Duration kLook = Duration::ms(500);
// Between two looks for queues that nobody knows yet.
constexpr Duration kPause = Duration::ms(100);

// The key of the logical send; 0 if the message carries none of ours.
std::uint64_t key_of(const ReceivedMessage& message) {
  const std::string_view text = message.property(property::kKeys);
  std::uint64_t key = 0;
  std::from_chars(text.data(), text.data() + text.size(), key);
  return key;
}

std::unique_ptr<PullConsumer> make_consumer(Context& context, const ConsumerSpec& spec,
                                            Destination destination) {
  PullConsumerOptions options;
  options.consumer_group = spec.name;
  options.batch = spec.batch;
  options.ordered = spec.ordered;
  options.idle_pause = spec.pause;
  if (destination.broker) {
    return std::make_unique<PullConsumer>(context, *destination.broker, spec.topic, options);
  }
  return std::make_unique<PullConsumer>(context, std::move(destination.name_servers), spec.topic,
                                        options);
}

// False: it has been asked to stop.
Task<bool> find_queues(Context& context, PullConsumer& consumer) {
  while (!context.terminate.is_set()) {
    Result<void> started = co_await consumer.start(context.clock.now() + kLook);
    if (started) co_return true;
    const MonotonicTime later = context.clock.now() + kPause;
    Result<void> told_to_stop = co_await context.terminate.wait(later);
    if (told_to_stop || told_to_stop.error().code() == ErrorCode::cancelled) co_return false;
  }
  co_return false;
}

}  // namespace

Task<void> run_consumer(Context& context, const ConsumerSpec& spec, Destination destination,
                        Recorder& recorder) {
  if (spec.after > Duration()) {
    const MonotonicTime begin = context.clock.now() + spec.after;
    Result<void> told_to_stop = co_await context.terminate.wait(begin);
    if (told_to_stop || told_to_stop.error().code() == ErrorCode::cancelled) co_return;
  }
  const std::unique_ptr<PullConsumer> consumer =
      make_consumer(context, spec, std::move(destination));
  const std::uint32_t number = recorder.consumer(spec.name, spec.topic);
  const bool found = co_await find_queues(context, *consumer);
  while (found && !context.terminate.is_set()) {
    Result<std::vector<ReceivedMessage>> messages =
        co_await consumer->poll(context.clock.now() + kLook);
    if (!messages && messages.error().code() == ErrorCode::cancelled) co_return;
    if (!messages) continue;
    for (const ReceivedMessage& message : *messages) {
      recorder.delivered({.consumer = number,
                          .key = key_of(message),
                          .queue_id = message.queue.queue_id,
                          .queue_offset = message.queue_offset.value()});
    }
  }
  consumer->note_consumed();
  co_await consumer->close();
}

}  // namespace drydock::scenarios
