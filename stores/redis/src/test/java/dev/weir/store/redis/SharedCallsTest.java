package dev.weir.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.limits.Decision;
import dev.weir.limits.Policy;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.internal.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Many callers share calls to Redis; a single caller does not wait for others. */
final class SharedCallsTest {
  private static final Pattern CALLS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");
  private static final int CALLERS = 64;
  private static final int TURNS = 50;

  @Test
  void callersShareCallsAndEachGetsItsOwnAnswer() throws Exception {
    try (RedisServer server = RedisServer.start(RedisProgram.oldest());
        Redis redis = Servers.open(server.uri());
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Integer> batches = new CopyOnWriteArrayList<>();
      RedisLimitStore store = new RedisLimitStore(redis, batches::add);
      Policy plenty = Policy.of("plenty", TokenBucket.of(CALLERS * TURNS, Duration.ofDays(300)));
      assertThat(store.take(plenty, "warm", 1)).isTrue();
      long before = calls(server);
      batches.clear();
      List<Future<List<Decision>>> answers = new ArrayList<>();
      List<Thread> waiting = new CopyOnWriteArrayList<>();
      // Otherwise it depends on who has the processor when, whether callers meet.
      server.signal("STOP");
      for (int caller = 0; caller < CALLERS; caller++) {
        answers.add(
            callers.submit(
                () -> {
                  waiting.add(Thread.currentThread());
                  return LongStream.range(0, TURNS)
                      .mapToObj(i -> store.decide(plenty, "k", 1))
                      .toList();
                }));
      }
      Await.until(
          () -> waiting.size() == CALLERS && waiting.stream().allMatch(SharedCallsTest::isParked));
      server.signal("CONT");
      List<Long> remaining = new ArrayList<>();
      for (Future<List<Decision>> answer : answers) {
        answer.get().forEach(decision -> remaining.add(decision.remaining()));
      }
      // No token was granted to the wrong caller, and none twice.
      assertThat(remaining)
          .containsExactlyInAnyOrderElementsOf(
              LongStream.range(0, CALLERS * TURNS).boxed().toList());
      assertThat(batches).as("requests in a call").anyMatch(size -> size >= CALLERS / 8);
      assertThat(calls(server) - before).isEqualTo(batches.size());
      assertThat(batches.stream().mapToInt(Integer::intValue).sum()).isEqualTo(CALLERS * TURNS);
    }
  }

  @Test
  void lonelyCallerNeedsOneCallForEachDecision() {
    try (RedisServer server = RedisServer.start(RedisProgram.oldest());
        Redis redis = Servers.open(server.uri())) {
      RedisLimitStore store = new RedisLimitStore(redis);
      Policy plenty = Policy.of("plenty", TokenBucket.of(100, Duration.ofDays(1)));
      store.take(plenty, "k", 1);
      long before = calls(server);
      for (int i = 0; i < 10; i++) {
        assertThat(store.take(plenty, "k", 1)).isTrue();
      }
      assertThat(calls(server) - before).isEqualTo(10);
    }
  }

  private static boolean isParked(Thread caller) {
    return caller.getState() == Thread.State.WAITING
        || caller.getState() == Thread.State.TIMED_WAITING;
  }

  private static long calls(RedisServer server) {
    Matcher matcher = CALLS.matcher(server.command("INFO commandstats"));
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }
}
