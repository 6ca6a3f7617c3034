package dev.weir.payments.feed.internal;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Makes feeds of payments for demonstrations and tests, of any size in little memory. The same
 * settings make the same bytes.
 */
public final class FeedMaker {
  /** Odd, and not the step of SplittableRandom, whose sequences would overlap. */
  private static final long SPREAD = 0xD1342543DE82EF95L;

  private static final List<String> CURRENCIES = List.of("EUR", "EUR", "EUR", "USD", "JPY", "KWD");
  private static final List<String> REFERENCES =
      List.of("", "Invoice %s", "Rent, flat %s", "Order \"%s\"", "Müller %s – Rückzahlung");

  private final Settings settings;
  private final Map<FeedFlaw, Long> flawed = new EnumMap<>(FeedFlaw.class);
  private @Nullable RawPayment earlier;

  private FeedMaker(Settings settings) {
    this.settings = settings;
  }

  /**
   * What to make.
   *
   * @param lines the number of payments, including the flawed ones
   * @param seed tells one feed from another; it is a part of the payment ids
   * @param start the earliest requested time; empty to request none
   * @param span the time over which requested times are spread
   * @param flawedShare the share of lines that are wrong or repeat another, between 0 and 1
   */
  public record Settings(
      FeedFormat format,
      long lines,
      long seed,
      Optional<Instant> start,
      Duration span,
      double flawedShare) {
    public Settings {
      if (lines < 0) {
        throw new IllegalArgumentException("lines must be at least 0, not " + lines);
      }
      if (span.isNegative() || span.toDays() > 3_650) {
        throw new IllegalArgumentException("span must be between 0 and 10 years, not " + span);
      }
      if (!(flawedShare >= 0 && flawedShare <= 1)) {
        throw new IllegalArgumentException(
            "flawedShare must be between 0 and 1, not " + flawedShare);
      }
    }
  }

  /**
   * What was made.
   *
   * @param payments the payments that can be made
   * @param flawed the other lines, by what is wrong with them
   */
  public record Made(long payments, Map<FeedFlaw, Long> flawed) {
    public Made {
      flawed = Map.copyOf(flawed);
    }

    /** Returns the number of lines that should be rejected. */
    public long rejected() {
      return total() - repeated();
    }

    /** Returns the number of lines that repeat another and should be skipped. */
    public long repeated() {
      return flawed.getOrDefault(FeedFlaw.REPEATED, 0L);
    }

    private long total() {
      return flawed.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /** Writes a feed. The stream is flushed and stays open. */
  public static Made write(Settings settings, OutputStream out) throws IOException {
    BufferedWriter writer =
        new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), 64 * 1024);
    try {
      Made made = new FeedMaker(settings).write(FeedLines.of(settings.format(), writer));
      writer.flush();
      return made;
    } catch (UncheckedIOException failed) {
      // FastCSV's writer has no checked exceptions.
      throw failed.getCause();
    }
  }

  private Made write(FeedLines lines) throws IOException {
    lines.header();
    for (long i = 0; i < settings.lines(); i++) {
      SplittableRandom random = new SplittableRandom(settings.seed() + (i + 1) * SPREAD);
      Optional<FeedFlaw> flaw = flaw(random);
      RawPayment payment = payment(i, flaw, random);
      flaw.ifPresent(any -> flawed.merge(any, 1L, Long::sum));
      if (flaw.isPresent() && flaw.get() == FeedFlaw.MALFORMED) {
        lines.malformed(payment);
      } else {
        lines.payment(payment);
      }
      if (flaw.isEmpty()) {
        earlier = payment;
      }
    }
    lines.flush();
    long others = flawed.values().stream().mapToLong(Long::longValue).sum();
    return new Made(settings.lines() - others, flawed);
  }

  /** Returns how a line is wrong. A line cannot repeat an earlier one if there is none. */
  private Optional<FeedFlaw> flaw(SplittableRandom random) {
    if (random.nextDouble() >= settings.flawedShare()) {
      return Optional.empty();
    }
    FeedFlaw[] flaws = FeedFlaw.values();
    FeedFlaw flaw = flaws[random.nextInt(flaws.length)];
    return Optional.of(earlier == null && !flaw.isInTheLine() ? FeedFlaw.NO_ID : flaw);
  }

  private RawPayment payment(long index, Optional<FeedFlaw> flaw, SplittableRandom random) {
    RawPayment payment =
        flaw.isPresent() && !flaw.get().isInTheLine() && earlier != null
            ? earlier.copy()
            : valid(index, random);
    flaw.ifPresent(any -> any.spoil(payment));
    return payment;
  }

  private RawPayment valid(long index, SplittableRandom random) {
    String currency = CURRENCIES.get(random.nextInt(CURRENCIES.size()));
    RawPayment payment = new RawPayment();
    payment.put(
        FeedField.PAYMENT_ID, String.format(Locale.ROOT, "sim-%d-%08d", settings.seed(), index));
    payment.put(FeedField.AMOUNT, amount(currency, random));
    payment.put(FeedField.CURRENCY, currency);
    payment.put(FeedField.DEBTOR_ACCOUNT, account(random));
    payment.put(FeedField.CREDITOR_ACCOUNT, account(random));
    payment.put(FeedField.REQUESTED_TIME, time(random));
    payment.put(
        FeedField.REFERENCE,
        REFERENCES.get(random.nextInt(REFERENCES.size())).formatted(random.nextInt(10_000)));
    payment.put(FeedField.CONFIG_NAME, "");
    return payment;
  }

  private static String amount(String currency, SplittableRandom random) {
    int units = random.nextInt(1, 5_000);
    return currency.equals("JPY")
        ? String.valueOf(units)
        : String.format(Locale.ROOT, "%d.%02d", units, random.nextInt(100));
  }

  private static String account(SplittableRandom random) {
    return Iban.of(
        "DE", String.format(Locale.ROOT, "%018d", random.nextLong(1_000_000_000_000_000_000L)));
  }

  private String time(SplittableRandom random) {
    if (settings.start().isEmpty()) {
      return "";
    }
    long millis = random.nextLong(settings.span().toMillis() + 1);
    Instant time = settings.start().get().plusMillis(millis);
    ZoneOffset offset = random.nextBoolean() ? ZoneOffset.UTC : ZoneOffset.ofHours(2);
    return time.atOffset(offset).toString();
  }
}
