package dev.weir.server.dashboard;

import dev.weir.http.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a sample every second and passes it to the viewers. Without viewers it only reads counters,
 * which takes some microseconds.
 */
final class Sampler implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Sampler.class);
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Counters counters;
  private final SampleRing ring;
  private final Refusals refusals;
  private final NodeWatch watch;
  private final Viewers viewers;
  private final InstantSource clock;
  private final Optional<ScheduledExecutorService> thread;

  // Below: accessed by the thread that takes samples only.
  private Counters.Reading last;
  private @Nullable NodeState published;

  /** Creates a sampler that is run by its caller. */
  Sampler(
      Counters counters,
      SampleRing ring,
      Refusals refusals,
      NodeWatch watch,
      Viewers viewers,
      InstantSource clock,
      Optional<ScheduledExecutorService> thread) {
    this.counters = counters;
    this.ring = ring;
    this.refusals = refusals;
    this.watch = watch;
    this.viewers = viewers;
    this.clock = clock;
    this.thread = thread;
    this.last = counters.read();
  }

  static ScheduledExecutorService newThread() {
    return Executors.newSingleThreadScheduledExecutor(
        Thread.ofPlatform().daemon().name("weir-dashboard").factory());
  }

  /** Starts to take samples, just after each full second. */
  Sampler start() {
    Instant now = clock.instant();
    Instant nextSecond = now.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
    long delayNanos = Duration.between(now, nextSecond).toNanos();
    thread.ifPresent(
        own -> {
          var unused =
              own.scheduleAtFixedRate(
                  this::runOnce, delayNanos, INTERVAL_NANOS, TimeUnit.NANOSECONDS);
        });
    return this;
  }

  private void runOnce() {
    try {
      run();
    } catch (RuntimeException | Error e) {
      // An exception that escapes would end the schedule.
      log.error("A sample for the dashboard failed", e);
    }
  }

  /** Takes the sample of the second that has just ended. */
  void run() {
    Counters.Reading now = counters.read();
    long second = clock.instant().getEpochSecond() - 1;
    Sample sample = now.since(last, second);
    sample.set(Series.STORE_UP, watch.isUp(sample) ? 1 : 0);
    refusals.update(second);
    last = now;
    if (ring.add(sample)) {
      // Who has seen later seconds would take this one for an old one.
      viewers.restart();
    }
    if (viewers.isEmpty()) {
      published = null;
      watch.forget();
      return;
    }
    watch.askAside();
    NodeState state = watch.lastKnown();
    if (!state.equals(published)) {
      published = state;
      viewers.publish(ServerSentEvent.of("state", Json.bytes(state::write)));
    }
    viewers.publish(ServerSentEvent.of(sample));
  }

  @Override
  public void close() {
    thread.ifPresent(ScheduledExecutorService::shutdownNow);
    viewers.end();
  }
}
