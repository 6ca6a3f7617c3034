package dev.weir.payments.workflows;

import dev.weir.payments.Payment;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * A downstream that fails in every way a real one does, books each payment once, and records every
 * arrival.
 */
final class FlakyDownstream implements Downstream {
  static final String REFUSED_ACCOUNT = "CLOSED";
  private static final Duration MAX_LATENESS = Duration.ofSeconds(2);

  private final InstantSource clock;
  private final Random random;
  private final double trouble;
  private final List<Instant> arrivals = new ArrayList<>();
  private final Map<String, Integer> calls = new HashMap<>();
  private final Set<String> booked = new HashSet<>();

  /**
   * @param trouble the share of calls that go wrong
   */
  FlakyDownstream(InstantSource clock, long seed, double trouble) {
    this.clock = clock;
    this.random = new Random(seed);
    this.trouble = trouble;
  }

  static Duration maxLateness() {
    return MAX_LATENESS;
  }

  @Override
  public synchronized Answer pay(Payment payment) {
    Instant now = clock.instant();
    calls.merge(payment.paymentId(), 1, Integer::sum);
    if (payment.creditorAccount().equals(REFUSED_ACCOUNT)) {
      arrivals.add(now);
      return new Answer.Rejected("the account is closed");
    }
    double luck = random.nextDouble() / trouble;
    if (luck < 0.4) {
      arrivals.add(now);
      return new Answer.Retry(Duration.ofSeconds(random.nextInt(3)), "status 503");
    }
    if (luck < 0.6) {
      arrivals.add(now);
      book(payment);
      return new Answer.Unknown("the answer was lost", false);
    }
    if (luck < 0.8) {
      return new Answer.Unknown("the call was lost", false);
    }
    if (luck < 1) {
      // It was given up and arrives all the same.
      arrivals.add(now.plusMillis(random.nextLong(MAX_LATENESS.toMillis())));
      book(payment);
      return new Answer.Unknown("no answer in time", true);
    }
    arrivals.add(now);
    book(payment);
    return new Answer.Paid("ref-" + payment.paymentId());
  }

  /** A payment that is booked is not booked again. */
  private void book(Payment payment) {
    booked.add(payment.paymentId());
  }

  /** Returns the ids of the payments that were made. */
  synchronized Set<String> booked() {
    return Set.copyOf(booked);
  }

  synchronized int calls() {
    return calls.values().stream().mapToInt(Integer::intValue).sum();
  }

  synchronized int calls(String paymentId) {
    return calls.getOrDefault(paymentId, 0);
  }

  /** Returns the max number of calls that arrived within any second. */
  synchronized int maxInASecond() {
    List<Instant> sorted = new ArrayList<>(arrivals);
    Collections.sort(sorted);
    int max = 0;
    int from = 0;
    for (int until = 0; until < sorted.size(); until++) {
      while (!sorted.get(from).isAfter(sorted.get(until).minusSeconds(1))) {
        from++;
      }
      max = Math.max(max, until - from + 1);
    }
    return max;
  }

  @Override
  public Duration maxCallTime() {
    return Duration.ofSeconds(3);
  }

  @Override
  public void close() {}
}
