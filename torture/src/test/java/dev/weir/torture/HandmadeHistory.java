package dev.weir.torture;

import dev.weir.torture.history.Exchange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Exchanges that a test makes up: each takes a tenth of a second, a second after the last. */
public final class HandmadeHistory {
  public static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");
  private static final long SECOND_NANOS = 1_000_000_000L;

  private final List<Exchange> exchanges = new ArrayList<>();
  private long seconds;

  /** Adds an exchange; texts have single quotes in place of double ones. */
  public Exchange add(String kind, String subject, String request, int status, String answer) {
    Exchange exchange = at(++seconds, kind, subject, request, status, answer);
    exchanges.add(exchange);
    return exchange;
  }

  /** Makes an exchange that began so many seconds after the begin, and does not add it. */
  public static Exchange at(
      long second, String kind, String subject, String request, int status, String answer) {
    long nanos = second * SECOND_NANOS;
    return new Exchange(
        second,
        kind,
        subject,
        1,
        request.replace('\'', '"'),
        nanos,
        BEGIN.plusSeconds(second),
        nanos + SECOND_NANOS / 10,
        status,
        answer.replace('\'', '"'));
  }

  /** Seconds since the begin, in microseconds since the epoch. */
  public static long micros(double second) {
    return BEGIN.getEpochSecond() * 1_000_000L + (long) (second * 1_000_000);
  }

  /** Lets nothing happen until a second. */
  public void pass(long second) {
    seconds = Math.max(seconds, second);
  }

  public long seconds() {
    return seconds;
  }

  public List<Exchange> exchanges() {
    return exchanges;
  }
}
