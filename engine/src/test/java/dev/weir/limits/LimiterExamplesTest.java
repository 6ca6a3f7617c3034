package dev.weir.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.limits.memory.MemoryLimitStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs the Java examples of docs/guide.md, which contains each of them verbatim. */
class LimiterExamplesTest {
  private final List<String> done = new ArrayList<>();

  private void serve() {
    done.add("served");
  }

  private void refuse(Duration retryAfter) {
    done.add("retry after " + retryAfter.toSeconds() + " s");
  }

  private void print() {
    done.add("printed");
  }

  @Test
  void guideShowsWhatRunsHere() throws IOException {
    String guide = Files.readString(Path.of("../docs/guide.md"));
    String source =
        Files.readString(Path.of("src/test/java/dev/weir/limits/LimiterExamplesTest.java"));
    Matcher example =
        Pattern.compile(" {4}// docs: (?!end)[^\\n]*\\n(.*?) {4}// docs: end", Pattern.DOTALL)
            .matcher(source);
    int examples = 0;
    while (example.find()) {
      String shown = example.group(1).stripTrailing().stripIndent();
      assertThat(guide).contains("```java\n" + shown + "\n```");
      examples++;
    }
    assertThat(examples).isEqualTo(7);
  }

  @Test
  void yesOrNo() {
    // docs: yes or no
    Limiter limiter = Limiter.inMemory();
    Policy api = Policy.of("api", TokenBucket.of(100, Duration.ofSeconds(10)));
    if (limiter.tryAcquire(api, "user:101")) {
      serve();
    }
    // docs: end
    assertThat(done).containsExactly("served");
  }

  @Test
  void decision() {
    AtomicLong micros = new AtomicLong(Micros.ceil(Instant.parse("2026-06-01T12:00:00Z")));
    Limiter limiter = Limiter.inMemory(() -> Micros.instant(micros.incrementAndGet()));
    // docs: decision
    Policy sms = Policy.of("sms", FixedWindow.of(1, Duration.ofSeconds(60)));
    for (int i = 0; i < 2; i++) {
      switch (limiter.acquire(sms, "+49 30 901820")) {
        case Decision.Allowed allowed -> serve();
        case Decision.Refused refused -> refuse(refused.retryAfter());
      }
    }
    // docs: end
    assertThat(done).containsExactly("served", "retry after 59 s");
  }

  @Test
  void waiting() throws InterruptedException {
    Limiter limiter = Limiter.inMemory();
    // docs: waiting
    Policy mails = Policy.of("mails", TokenBucket.of(1).refill(1, Duration.ofMillis(20)));
    for (int i = 0; i < 3; i++) {
      if (limiter.acquire(mails, "anna", Duration.ofMinutes(1)).isAllowed()) {
        serve();
      }
    }
    // docs: end
    assertThat(done).hasSize(3);
  }

  @Test
  void allOrNothing() {
    Limiter limiter = Limiter.inMemory();
    // docs: all or nothing
    Policy perUser = Policy.of("user", TokenBucket.of(10, Duration.ofSeconds(1)));
    Policy perOrg = Policy.of("org", SlidingWindow.of(500, Duration.ofMinutes(1)));
    AcquireRequest request =
        AcquireRequest.all(LimitRequest.of(perUser, "user:101"), LimitRequest.of(perOrg, "org:7"))
            .withRequestId("order-4711");
    AcquireResult result = limiter.acquire(request);
    AcquireResult repeated = limiter.acquire(request); // takes nothing
    limiter.refund(request, result); // the work was not done after all
    // docs: end
    assertThat(result.isAllowed()).isTrue();
    assertThat(repeated.isReplayed()).isTrue();
    assertThat(limiter.peek(perOrg, "org:7").remaining()).isEqualTo(500);
  }

  @Test
  void leases() {
    // docs: leases
    Leases leases = Leases.inMemory();
    Concurrency two = Concurrency.of(2, Duration.ofSeconds(30));
    switch (leases.acquire("printer", two)) {
      case Leases.Acquired lease -> {
        try (lease) {
          print();
        }
      }
      case Leases.Full full -> refuse(full.retryAfter());
    }
    // docs: end
    assertThat(done).containsExactly("printed");
    assertThat(leases.current("printer")).isZero();
  }

  @Test
  void failover() {
    LimitStore redis = new MemoryLimitStore();
    LimitStore postgresql = new MemoryLimitStore();
    // docs: failover
    LimitStore store = Failover.of(redis).named("redis").fallback(postgresql).nodes(3).build();
    Limiter shared = Limiter.on(store);
    // docs: end
    assertThat(shared.tryAcquire(Policy.of("p", TokenBucket.of(1, Duration.ofSeconds(1))), "k"))
        .isTrue();
  }

  @Test
  void queue() throws InterruptedException {
    Limiter limiter = Limiter.inMemory();
    // docs: queue
    Policy bank = Policy.of("bank", FixedWindow.of(3, Duration.ofSeconds(10)));
    QueuedLimiter queued =
        new QueuedLimiter(limiter, Leases.inMemory(), Queue.of(2, Duration.ofMillis(5)));
    for (int i = 0; i < 4; i++) {
      if (queued.acquireWaiting(bank, "all")) { // the fourth waits for 5 ms
        serve();
      }
    }
    // docs: end
    assertThat(done).hasSize(4);
  }
}
