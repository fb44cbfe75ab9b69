// Nodes on the bare kernel. Letters travel from node to node as events of their own, into a bounded
// mailbox; tasks of a node share locks, units of a semaphore and cores, poll a grid, run nested
// scopes under deadlines, and pass crash points.
#include <array>

#include "engine/runtime/channel.hpp"
#include "engine/runtime/context.hpp"
#include "engine/runtime/poll_grid.hpp"
#include "tests/fingerprint/crowd.hpp"

namespace drydock::fingerprint {
namespace {

struct Letter {
  int hops = 0;
  std::int64_t content = 0;
};

class MailCrowd final : public Crowd {
 public:
  explicit MailCrowd(CrowdOptions options)
      : Crowd(options), mailboxes_(static_cast<std::size_t>(options.nodes)) {
    assemble();
  }
  ~MailCrowd() override { disperse(); }

 private:
  // A letter under way; kept and used again.
  class Post : public Wakeup {
   public:
    explicit Post(MailCrowd& crowd) : Wakeup(&Post::on_run, EventKind::segment, 0), crowd_(crowd) {}
    void send(int to, Letter letter, Duration latency) {
      to_ = to;
      letter_ = letter;
      set_label(EventKind::segment, static_cast<std::uint32_t>(to));
      crowd_.kernel().after(*this, latency);
    }

   private:
    static void on_run(Wakeup& wakeup) {
      auto& self = static_cast<Post&>(wakeup);
      Channel<Letter>* const mailbox = self.crowd_.mailboxes_[static_cast<std::size_t>(self.to_)];
      if (mailbox != nullptr) mailbox->try_send(self.letter_);
      self.crowd_.idle_.push_back(&self);
    }
    MailCrowd& crowd_;
    int to_ = 0;
    Letter letter_;
  };

  // What the tasks of one life share: a local of its main coroutine.
  struct Life {
    Life(MailCrowd& owner, Context& process, int number)
        : crowd(owner), context(process), index(number), letters(12), tokens(3) {
      crowd.mailboxes_[static_cast<std::size_t>(index)] = &letters;
    }
    ~Life() { crowd.mailboxes_[static_cast<std::size_t>(index)] = nullptr; }

    MailCrowd& crowd;
    Context& context;
    int index;
    Channel<Letter> letters;
    Mutex ledger;
    Semaphore tokens;
    Event changed;
    std::int64_t balance = 0;
  };

  void post(int to, Letter letter, Duration latency) {
    if (idle_.empty()) {
      posts_.push_back(std::make_unique<Post>(*this));
      idle_.push_back(posts_.back().get());
    }
    Post* const post = idle_.back();
    idle_.pop_back();
    post->send(to, letter, latency);
  }

  void post_to_anybody(Letter letter, RandomStream& random) {
    const int to = static_cast<int>(random.below(static_cast<std::uint64_t>(options().nodes)));
    const Duration latency = Duration::us(random.between(20, 900));
    post(to, letter, latency);
  }

  Task<void> receive(Life& life) {
    RandomStream random = life.context.random.stream("receive");
    Worker& worker = life.context.workers.add("receive");
    for (;;) {
      Result<Letter> letter =
          co_await life.letters.receive(life.context.clock.now() + Duration::ms(30));
      if (!letter && letter.error().code() == ErrorCode::timed_out) continue;
      if (!letter) co_return;
      Result<Mutex::Permit> lock =
          co_await life.ledger.lock(life.context.clock.now() + Duration::ms(3));
      if (!lock) continue;
      const Duration work = Duration::us(random.between(1, 80));
      Result<void> done = co_await life.context.compute.charge(worker, work);
      if (!done) co_return;
      life.balance += letter->content;
      life.changed.set();
      life.context.observer.event(EventName::store_appended, life.balance, letter->hops);
      if (letter->hops == 0) continue;
      post_to_anybody({letter->hops - 1, letter->content + 1}, random);
    }
  }

  Task<void> write_letters(Life& life) {
    RandomStream random = life.context.random.stream("write");
    for (;;) {
      const Duration pause = Duration::us(random.between(500, 12'000));
      Result<void> slept = co_await sleep_for(life.context.clock, pause);
      if (!slept) co_return;
      const bool early = life.context.chaos.fire(BuggifySite::client_retry_early);
      const Letter letter{early ? 5 : 3, life.index};
      post_to_anybody(letter, random);
      co_await life.context.chaos.reach(CrashPoint::store_before_flush);
    }
  }

  Task<void> poll(Life& life) {
    PollGrid grid(life.context.clock, life.context.clock.now(), Duration::ms(10));
    for (std::int64_t seen = 0;;) {
      const auto enough = [&life, &seen] { return life.balance > seen + 100; };
      const Deadline deadline = life.context.clock.now() + Duration::ms(95);
      Result<void> polled = co_await grid.until(life.changed, enough, deadline);
      if (!polled && polled.error().code() == ErrorCode::cancelled) co_return;
      seen = life.balance;
      const std::int64_t wall_ms = life.context.clock.wall_now().count_ms();
      life.context.observer.event(EventName::store_flushed, seen, wall_ms);
    }
  }

  Task<void> use_tokens(Life& life, std::uint64_t units, Duration hold) {
    Result<Semaphore::Permit> permit = co_await life.tokens.acquire(units);
    if (!permit) co_return;
    Result<void> held = co_await sleep_for(life.context.clock, hold);
    if (!held) life.context.observer.event(EventName::store_flush_failed, life.balance);
  }

  Task<void> nest(Life& life, TaskScope& above, int depth) {
    RandomStream random = life.context.random.stream("nest/" + std::to_string(depth));
    for (int round = 0; depth == 0 || round < 2; ++round) {
      TaskScope scope(above);
      const Duration limit = Duration::us(random.between(200, 9'000));
      scope.set_deadline(life.context.clock.now() + limit);
      for (int i = 0; i < 3; ++i) {
        const std::uint64_t units = 1 + random.below(3);
        const Duration hold = Duration::us(random.between(0, 3'000));
        scope.spawn(use_tokens(life, units, hold));
      }
      if (depth < 2) scope.spawn(nest(life, scope, depth + 1));
      const std::uint64_t end = random.below(4);
      const Duration pause = Duration::us(random.between(100, 6'000));
      if (end < 2) {
        Result<void> slept = co_await sleep_for(life.context.clock, pause);
        if (!slept) co_return;
        if (end == 1) scope.cancel();
      }
      if (end > 0) co_await scope.join();
      if (above.cancelled()) co_return;
    }
  }

  Task<void> node(Context& context, int index) override {
    Life life(*this, context, index);
    TaskScope scope(context.scope);
    scope.spawn(receive(life));
    scope.spawn(write_letters(life));
    scope.spawn(poll(life));
    scope.spawn(nest(life, scope, 0));
    Result<void> told = co_await context.terminate.wait();
    ENSURE(told.has_value());
    life.letters.close();
    scope.cancel();
    co_await scope.join();
  }

  std::vector<Channel<Letter>*> mailboxes_;
  std::vector<std::unique_ptr<Post>> posts_;
  std::vector<Post*> idle_;
};

}  // namespace

std::unique_ptr<sim::Verifiable> make_mail_crowd(CrowdOptions options) {
  return std::make_unique<MailCrowd>(options);
}

}  // namespace drydock::fingerprint
