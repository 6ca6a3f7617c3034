package dev.weir.payments.simulator;

import dev.weir.payments.simulator.calls.CallLog;
import dev.weir.payments.simulator.calls.CallResult;
import dev.weir.payments.simulator.calls.CallStatistics;
import dev.weir.payments.simulator.calls.CallTally;
import dev.weir.payments.simulator.calls.RecordedCall;
import dev.weir.payments.simulator.calls.RecordedCalls;
import dev.weir.payments.simulator.calls.SlidingSecond;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A payment API that proves what its callers claim: it refuses calls above a ceiling over any
 * sliding second, books a payment once however often it is called, fails as its settings say, and
 * records every call. It decides what happens to a call; {@link DownstreamServer} lets it happen
 * over HTTP. Thread-safe.
 */
public final class DownstreamSimulator implements AutoCloseable {
  /** Odd, and not the step of SplittableRandom, whose sequences would overlap. */
  private static final long SPREAD = 0xD1342543DE82EF95L;

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final SimulatorSettings settings;
  private final Supplier<Instant> clock;
  private final @Nullable CallLog log;
  private final Map<Digest, PaymentState> payments = new HashMap<>();
  private final CallTally tally = new CallTally();

  /**
   * The calls that were not refused. Counting refused ones would keep a busy caller out forever.
   */
  private final SlidingSecond accepted = new SlidingSecond();

  private Instant last = Instant.EPOCH;

  /** How far the clock is behind the calls of an earlier process, since which it was set back. */
  private Duration behind = Duration.ZERO;

  private DownstreamSimulator(
      SimulatorSettings settings, Supplier<Instant> clock, @Nullable CallLog log) {
    this.settings = settings;
    this.clock = clock;
    this.log = log;
  }

  /**
   * Creates an API that remembers nothing of earlier ones and writes no file.
   *
   * @param clock the time of a call; if it goes backwards, the latest time counts
   */
  public static DownstreamSimulator inMemory(SimulatorSettings settings, Supplier<Instant> clock) {
    return new DownstreamSimulator(settings, clock, null);
  }

  /**
   * Creates an API that records its calls in a file. It remembers the payments and counts of a file
   * that exists, so that it can be stopped and started.
   *
   * @throws IOException if the file cannot be read or written, or contains anything else
   */
  public static DownstreamSimulator recording(
      SimulatorSettings settings, Supplier<Instant> clock, Path file) throws IOException {
    CallLog log = CallLog.append(file);
    try {
      DownstreamSimulator simulator = new DownstreamSimulator(settings, clock, log);
      RecordedCalls.read(file, simulator::remember);
      simulator.continueAfterLast();
      return simulator;
    } catch (IOException | RuntimeException failed) {
      try {
        log.close();
      } catch (IOException closing) {
        failed.addSuppressed(closing);
      }
      throw failed;
    }
  }

  /** Otherwise all calls would be in one second until the clock has caught up. */
  private synchronized void continueAfterLast() {
    Duration difference = Duration.between(clock.get(), last);
    behind = difference.isNegative() ? Duration.ZERO : difference;
  }

  /** Returns a clock that never goes backwards while this process runs. */
  public static Supplier<Instant> steadyClock() {
    Instant start = Instant.now();
    long startNanos = System.nanoTime();
    return () -> start.plusNanos(System.nanoTime() - startNanos);
  }

  /** Returns how the API behaves. */
  public SimulatorSettings settings() {
    return settings;
  }

  /** Returns the counts of the calls so far. */
  public synchronized CallStatistics statistics() {
    return tally.statistics();
  }

  /**
   * Takes a call.
   *
   * @param content the payment as it was sent; a repeated call has the same
   * @throws UncheckedIOException if the call cannot be recorded; nothing is booked then
   */
  public synchronized Reaction pay(String paymentId, byte[] content) {
    Digest digest = Digest.of(content);
    Digest key = Digest.of(paymentId);
    PaymentState remembered = payments.get(key);
    PaymentState state = remembered == null ? new PaymentState() : remembered;
    int attempt = state.attempts + 1;
    SplittableRandom random = random(key, attempt);
    Decision decision;
    if (isAboveCeiling()) {
      decision = aboveCeiling();
    } else if (remembered == null && payments.size() >= settings.maxPayments()) {
      decision = failed("remembers as many payments as it may", random);
    } else {
      decision = decide(key, digest, state, random);
    }
    record(
        new RecordedCall(
            last, paymentId, digest.digits(), attempt, decision.result, decision.booked));
    return decision.reaction;
  }

  /** Returns the API's own id of a payment; empty if it is not booked. */
  public synchronized Optional<String> booked(String paymentId) {
    Digest key = Digest.of(paymentId);
    PaymentState state = payments.get(key);
    return state != null && state.booked ? Optional.of(reference(key)) : Optional.empty();
  }

  /**
   * Takes a call that cannot be read as a payment.
   *
   * @throws UncheckedIOException if the call cannot be recorded
   */
  public synchronized Reaction malformed(String reason) {
    Decision decision =
        isAboveCeiling()
            ? aboveCeiling()
            : Decision.refused(CallResult.INVALID, Duration.ZERO, 400, reason, Duration.ZERO);
    record(new RecordedCall(last, "", "", 0, decision.result, decision.booked));
    return decision.reaction;
  }

  @Override
  public synchronized void close() throws IOException {
    if (log != null) {
      log.close();
    }
  }

  private Decision decide(Digest key, Digest digest, PaymentState state, SplittableRandom random) {
    boolean known = state.booked;
    if (known && !state.booked(digest)) {
      return Decision.refused(
          CallResult.REJECTED,
          latency(random),
          422,
          "another payment with this id was booked",
          Duration.ZERO);
    }
    SimulatorSettings.Faults faults = settings.faults();
    if (!known && random(key, 0).nextDouble() < faults.rejected()) {
      return Decision.refused(
          CallResult.REJECTED, latency(random), 422, "the account is closed", Duration.ZERO);
    }
    double fate = random.nextDouble();
    if (fate < faults.failed()) {
      return failed("internal error", random);
    }
    if (fate < faults.failed() + faults.timedOut()) {
      boolean books = !known && random.nextBoolean();
      return new Decision(CallResult.TIMED_OUT, books, new Reaction.HangUp(settings.silence()));
    }
    if (fate < faults.failed() + faults.timedOut() + faults.lost()) {
      return new Decision(CallResult.ANSWER_LOST, !known, new Reaction.HangUp(latency(random)));
    }
    return new Decision(
        known ? CallResult.REPEATED : CallResult.PAID,
        !known,
        new Reaction.Answer(
            latency(random),
            known ? 200 : 201,
            DownstreamJson.paid(reference(key)),
            Duration.ZERO));
  }

  private Decision failed(String detail, SplittableRandom random) {
    // With 503 and Retry-After some say that nothing was done, others say nothing.
    return random.nextBoolean()
        ? Decision.refused(CallResult.FAILED, latency(random), 503, detail, RETRY_AFTER)
        : Decision.refused(CallResult.FAILED, latency(random), 500, detail, Duration.ZERO);
  }

  private static Decision aboveCeiling() {
    return Decision.refused(
        CallResult.ABOVE_CEILING, Duration.ZERO, 429, "above the ceiling", RETRY_AFTER);
  }

  /** Takes the time of a call and returns true if its sliding second is full without it. */
  private boolean isAboveCeiling() {
    Instant now = clock.get().plus(behind);
    last = now.isAfter(last) ? now : last;
    return accepted.countAt(RecordedCall.nanos(last)) >= settings.ceiling();
  }

  private void record(RecordedCall call) {
    if (log != null) {
      try {
        log.add(call);
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }
    remember(call);
  }

  private void remember(RecordedCall call) {
    last = call.at();
    tally.add(call);
    if (call.result() != CallResult.ABOVE_CEILING) {
      accepted.add(RecordedCall.nanos(call.at()));
    }
    if (call.attempt() == 0) {
      return;
    }
    Digest key = Digest.of(call.paymentId());
    PaymentState state = payments.get(key);
    if (state == null && payments.size() < settings.maxPayments()) {
      state = new PaymentState();
      payments.put(key, state);
    }
    if (state != null) {
      state.attempts = call.attempt();
      if (call.booked()) {
        state.book(Digest.ofDigits(call.contentDigest()));
      }
    }
  }

  /** Returns the randomness of an attempt, which does not depend on other payments. */
  private SplittableRandom random(Digest key, int attempt) {
    return new SplittableRandom(settings.seed() + key.high() + attempt * SPREAD);
  }

  /** Returns the API's own id of a payment, which is the same whenever it is asked. */
  private static String reference(Digest key) {
    return "SIM-" + key.digits().substring(0, 16);
  }

  private Duration latency(SplittableRandom random) {
    long nanos = settings.latency().toNanos();
    return Duration.ofNanos(nanos / 2 + (long) (nanos * random.nextDouble()));
  }

  /** What becomes of a call, and whether it books the payment. */
  private record Decision(CallResult result, boolean booked, Reaction reaction) {
    static Decision refused(
        CallResult result, Duration delay, int status, String detail, Duration retryAfter) {
      return new Decision(
          result,
          false,
          new Reaction.Answer(delay, status, DownstreamJson.problem(detail), retryAfter));
    }
  }

  /** What is remembered of a payment, in few bytes because there may be millions. */
  private static final class PaymentState {
    private int attempts;
    private boolean booked;
    private long digestHigh;
    private long digestLow;

    void book(Digest digest) {
      booked = true;
      digestHigh = digest.high();
      digestLow = digest.low();
    }

    boolean booked(Digest digest) {
      return booked && digestHigh == digest.high() && digestLow == digest.low();
    }
  }
}
