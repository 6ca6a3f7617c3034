package dev.weir.payments.feed.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.payments.FeedRecord;
import dev.weir.payments.Payment;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class FeedMakerTest {
  private static final Instant START = Instant.parse("2026-06-01T12:00:00Z");

  @Test
  void makesPaymentsThatCanBeMade() throws IOException {
    for (FeedFormat format : FeedFormat.values()) {
      Feed feed = make(format, 500, 1, 0);
      assertThat(feed.made.payments()).isEqualTo(500);
      assertThat(feed.made.flawed()).isEmpty();
      assertThat(feed.records()).hasSize(500).hasOnlyElementsOfType(FeedRecord.Accepted.class);
      assertThat(feed.records())
          .extracting(record -> ((FeedRecord.Accepted) record).payment().requestedTime().get())
          .allMatch(time -> !time.isBefore(START) && !time.isAfter(START.plusSeconds(60)));
    }
  }

  /** Every kind of flaw is found, and is found where the maker put it. */
  @Test
  void saysHowManyLinesAreFlawed() throws IOException {
    for (FeedFormat format : FeedFormat.values()) {
      Feed feed = make(format, 2_000, 3, 0.3);
      assertThat(feed.made.flawed()).containsOnlyKeys(FeedFlaw.values());
      Map<String, Payment> known = new HashMap<>();
      long rejected = 0;
      long repeated = 0;
      for (FeedRecord record : feed.records()) {
        switch (record) {
          case FeedRecord.Rejected any -> rejected++;
          case FeedRecord.Accepted accepted -> {
            Payment payment = accepted.payment();
            Payment first = known.putIfAbsent(payment.paymentId(), payment);
            if (first != null && first.sameContent(payment)) {
              repeated++;
            } else if (first != null) {
              rejected++;
            }
          }
        }
      }
      assertThat(known).hasSize((int) feed.made.payments());
      assertThat(rejected).isEqualTo(feed.made.rejected());
      assertThat(repeated).isEqualTo(feed.made.repeated()).isPositive();
    }
  }

  @Test
  void makesTheSameFeedAgainAndOtherPaymentsWithAnotherSeed() throws IOException {
    assertThat(make(FeedFormat.CSV, 300, 5, 0.2).bytes)
        .isEqualTo(make(FeedFormat.CSV, 300, 5, 0.2).bytes);
    assertThat(new String(make(FeedFormat.CSV, 300, 5, 0).bytes, UTF_8))
        .contains("sim-5-00000001")
        .doesNotContain("sim-6-");
  }

  @Test
  void makesTheSameFeedInEveryLocale() throws IOException {
    byte[] usual = make(FeedFormat.CSV, 100, 5, 0).bytes;
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
      assertThat(make(FeedFormat.CSV, 100, 5, 0).bytes).isEqualTo(usual);
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void requestsNoTimeUnlessItIsTold() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FeedMaker.write(
        new FeedMaker.Settings(FeedFormat.NDJSON, 10, 1, Optional.empty(), Duration.ZERO, 0), out);
    assertThat(out.toString(UTF_8)).doesNotContain("requestedTime");
  }

  @Test
  void tellsThatAFileCannotBeWritten() {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int any) throws IOException {
            throw new IOException("no space left");
          }
        };
    for (FeedFormat format : FeedFormat.values()) {
      assertThatThrownBy(() -> FeedMaker.write(settings(format, 100_000, 1, 0), full))
          .isExactlyInstanceOf(IOException.class)
          .hasMessage("no space left");
    }
  }

  @Test
  void refusesImpossibleSettings() {
    assertThatThrownBy(() -> settings(FeedFormat.CSV, -1, 1, 0)).hasMessageContaining("lines");
    assertThatThrownBy(() -> settings(FeedFormat.CSV, 1, 1, 1.1))
        .hasMessageContaining("flawedShare must be between 0 and 1, not 1.1");
  }

  @SuppressWarnings("ArrayRecordComponent") // Feeds are not compared with each other.
  private record Feed(byte[] bytes, FeedMaker.Made made, FeedFormat format) {
    List<FeedRecord> records() throws IOException {
      return FeedReaderTest.read(format, new ByteArrayInputStream(bytes));
    }
  }

  private static FeedMaker.Settings settings(
      FeedFormat format, long lines, long seed, double flawedShare) {
    return new FeedMaker.Settings(
        format, lines, seed, Optional.of(START), Duration.ofMinutes(1), flawedShare);
  }

  private static Feed make(FeedFormat format, long lines, long seed, double flawedShare)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    FeedMaker.Made made = FeedMaker.write(settings(format, lines, seed, flawedShare), out);
    return new Feed(out.toByteArray(), made, format);
  }
}
