package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreException;
import dev.weir.limits.AcquireResult;
import dev.weir.limits.CircuitBreaker;
import dev.weir.limits.LeaseDecision;
import dev.weir.rules.RuleCounters;
import dev.weir.server.metrics.GatewayMetrics;
import dev.weir.server.metrics.LimitMetrics;
import dev.weir.server.metrics.SlotMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a sample says about the second before it. */
final class SamplerTest {
  private static final long START = Instant.parse("2026-06-01T12:00:00Z").getEpochSecond();

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final LimitMetrics limits = new LimitMetrics(registry);
  private final SlotMetrics slots = new SlotMetrics(registry);
  private final GatewayMetrics gateway = new GatewayMetrics(registry);
  private final SampleRing ring = new SampleRing();
  private final Viewers viewers = new Viewers();
  private final AtomicInteger questions = new AtomicInteger();
  private final NodeWatch watch =
      new NodeWatch(
          () -> {
            questions.incrementAndGet();
            return "";
          },
          limits,
          slots,
          ring);
  private Instant now = Instant.ofEpochSecond(START);
  private final Sampler sampler =
      new Sampler(
          new Counters(limits, slots, gateway),
          ring,
          new Refusals(limits),
          watch,
          viewers,
          () -> now,
          Optional.empty());

  @Test
  void countsWhatHappenedInTheSecond() {
    RuleCounters login = limits.counters("login");
    login.count(RuleCounters.Kind.ALLOWED);
    Sample first = sampleAt(1);
    login.count(RuleCounters.Kind.ALLOWED);
    login.count(RuleCounters.Kind.ALLOWED);
    login.count(RuleCounters.Kind.REFUSED);
    login.count(RuleCounters.Kind.SHADOW_REFUSED);
    limits.counters("api").count(RuleCounters.Kind.QUEUED);
    limits.buckets().count(RuleCounters.Kind.REPLAYED);
    limits.decided(new LeaseDecision.Full(1, 0));
    limits.decided(AcquireResult.Mode.LOCAL);
    limits.waiting(7);
    slots.waiting(5);
    gateway.answered("/", 200, TimeUnit.MILLISECONDS.toNanos(16));
    Sample second = sampleAt(2);
    Sample third = sampleAt(3);

    assertThat(first.second()).isEqualTo(START);
    assertThat(first.get(Series.ALLOWED)).isEqualTo(1);
    assertThat(second.get(Series.ALLOWED)).isEqualTo(2);
    assertThat(second.get(Series.REFUSED)).as("a rule and a lease").isEqualTo(2);
    assertThat(second.get(Series.SHADOW_REFUSED)).isEqualTo(1);
    assertThat(second.get(Series.QUEUED)).isEqualTo(1);
    assertThat(second.get(Series.REPLAYED)).isEqualTo(1);
    assertThat(second.get(Series.MODE_LOCAL)).isEqualTo(1);
    assertThat(second.get(Series.WAITING)).isEqualTo(7);
    assertThat(second.get(Series.SLOTS_WAITING)).isEqualTo(5);
    assertThat(second.get(Series.GATEWAY_P50)).isBetween(16.0, 18.0);
    assertThat(second.get(Series.CHECK_P50)).isNaN();
    assertThat(second.get(Series.STORE_UP)).isEqualTo(1);
    assertThat(third.get(Series.ALLOWED)).isZero();
    assertThat(third.get(Series.WAITING)).isEqualTo(7);
    assertThat(third.get(Series.GATEWAY_P50)).isNaN();
  }

  @Test
  void aRemovedRuleTakesNothingBack() {
    limits.counters("login").count(RuleCounters.Kind.ALLOWED);
    sampleAt(1);
    limits.counters("login").count(RuleCounters.Kind.ALLOWED);
    limits.rulesKnown(Set.of());
    assertThat(sampleAt(2).get(Series.ALLOWED)).isEqualTo(1);
    assertThat(sampleAt(3).get(Series.ALLOWED)).isZero();
  }

  @Test
  void aStoreThatFailsIsDown() {
    slots.failed(Duration.ofSeconds(1));
    assertThat(sampleAt(1).get(Series.STORE_UP)).isZero();
    assertThat(sampleAt(2).get(Series.STORE_UP)).isEqualTo(1);

    limits.storeFailed("redis", StoreException.full("gone"));
    limits.breakerChanged("redis", CircuitBreaker.State.OPEN);
    assertThat(sampleAt(3).get(Series.STORE_UP)).isZero();
    assertThat(watch.lastKnown().storesGone()).containsExactly("redis");
    limits.breakerChanged("redis", CircuitBreaker.State.CLOSED);
    assertThat(sampleAt(4).get(Series.STORE_UP)).isEqualTo(1);
  }

  @Test
  void theWorstModeOfTheLastSecondsIsShown() {
    assertThat(watch.lastKnown().mode()).isEqualTo(AcquireResult.Mode.STORE);
    limits.decided(AcquireResult.Mode.FALLBACK);
    limits.decided(AcquireResult.Mode.OPEN);
    sampleAt(1);
    assertThat(watch.lastKnown().mode()).isEqualTo(AcquireResult.Mode.OPEN);
    assertThat(watch.lastKnown().modes())
        .containsExactly(AcquireResult.Mode.OPEN, AcquireResult.Mode.FALLBACK);
    for (int i = 2; i <= 11; i++) {
      sampleAt(i);
    }
    assertThat(watch.lastKnown().mode()).isEqualTo(AcquireResult.Mode.STORE);
    assertThat(watch.lastKnown().modes()).isEmpty();
  }

  @Test
  void withoutViewersTheDatabaseIsAskedNothing() {
    for (int i = 1; i < 100; i++) {
      sampleAt(i);
    }
    assertThat(questions).hasValue(0);
  }

  @Test
  void viewersGetTheStateOnceAndEverySample() throws InterruptedException {
    Viewer viewer = viewers.enter(() -> {}).orElseThrow();
    sampleAt(1);
    sampleAt(2);
    assertThat(text(viewer)).startsWith("event: state\ndata: {\"ready\":true,");
    assertThat(text(viewer)).startsWith("id: %d\n".formatted(START));
    assertThat(text(viewer)).startsWith("id: %d\n".formatted(START + 1));
    limits.breakerChanged("redis", CircuitBreaker.State.OPEN);
    sampleAt(3);
    assertThat(text(viewer)).contains("event: state\n", "\"storesGone\":[\"redis\"]");
    assertThat(text(viewer)).startsWith("id: %d\n".formatted(START + 2));
  }

  @Test
  void aClockThatIsSetBackEndsStreamsSoThatTheyBeginAnew() throws InterruptedException {
    Viewer viewer = viewers.enter(() -> {}).orElseThrow();
    sampleAt(1);
    assertThat(text(viewer)).startsWith("event: state\n");
    assertThat(text(viewer)).startsWith("id: %d\n".formatted(START));
    sampleAt(-3_600);
    assertThat(text(viewer)).isEqualTo("event: end\ndata: {\"reason\":\"clock-set-back\"}\n\n");
    assertThat(viewer.next()).isEmpty();

    Viewer again = viewers.enter(() -> {}).orElseThrow();
    sampleAt(-3_599);
    assertThat(text(again)).startsWith("event: state\n");
    assertThat(text(again)).startsWith("id: %d\n".formatted(START - 3_600));
  }

  private Sample sampleAt(int seconds) {
    now = Instant.ofEpochSecond(START + seconds);
    sampler.run();
    List<Sample> newest = ring.newest(1);
    return newest.getFirst();
  }

  private static String text(Viewer viewer) throws InterruptedException {
    return new String(viewer.next().orElseThrow(), StandardCharsets.UTF_8);
  }
}
