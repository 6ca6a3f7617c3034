package dev.weir.payments.feed.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.payments.FeedRecord;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Feeds that end before their senders' did. */
final class CutFeedTest {
  private static final String HEADER = "paymentId,debtorAccount,creditorAccount,currency,amount\n";
  private static final String FIRST = "a,A,B,EUR,10.00\n";
  private static final String LAST = "b,A,B,EUR,2500.00";

  private static final String NO_LINE_END = "has no line end, so a part of it may be missing";

  private static List<FeedRecord> read(String feed, FeedTotals announced) throws IOException {
    FeedReader reader =
        FeedReader.open(
            new ByteArrayInputStream(feed.getBytes(UTF_8)),
            feed.startsWith("{") ? FeedFormat.NDJSON : FeedFormat.CSV,
            announced);
    List<FeedRecord> records = new ArrayList<>();
    for (Optional<FeedRecord> next = reader.next(); next.isPresent(); next = reader.next()) {
      records.add(next.get());
    }
    return records;
  }

  private static FeedTotals announced(long records, String controlSum) {
    return new FeedTotals(OptionalLong.of(records), FeedTotals.controlSum(controlSum));
  }

  private static FeedTotals sum(String controlSum) {
    return new FeedTotals(OptionalLong.empty(), FeedTotals.controlSum(controlSum));
  }

  private static void assertDiffers(String feed, FeedTotals announced, String message) {
    assertThatThrownBy(() -> read(feed, announced))
        .isInstanceOf(FeedException.class)
        .hasMessage(message + ", so a part of it may be missing");
  }

  @Test
  void noPrefixOfAFeedPaysAnotherAmount() throws IOException {
    String feed = HEADER + FIRST + LAST + "\n";
    for (int length = HEADER.length(); length < feed.length(); length++) {
      for (FeedRecord record : read(feed.substring(0, length), FeedTotals.UNKNOWN)) {
        if (record instanceof FeedRecord.Accepted accepted) {
          assertThat(accepted.payment().paymentId()).isEqualTo("a");
          assertThat(accepted.payment().amount()).isEqualByComparingTo("10.00");
        } else {
          assertThat(((FeedRecord.Rejected) record).reason()).startsWith(NO_LINE_END);
        }
      }
    }
  }

  @Test
  void noPrefixOfAFeedWithItsTotalsIsAccepted() throws IOException {
    String feed = HEADER + FIRST + LAST;
    FeedTotals totals = announced(2, "EUR:2510.00");
    assertThat(read(feed, totals)).hasSize(2).allMatch(FeedRecord.Accepted.class::isInstance);
    assertThat(read(feed + "\n", totals)).hasSize(2);
    for (int length = 0; length < feed.length(); length++) {
      String prefix = feed.substring(0, length);
      // An amount of 2500.0 is the same.
      if (!prefix.endsWith("2500") && !prefix.endsWith("2500.") && !prefix.endsWith("2500.0")) {
        assertThatThrownBy(() -> read(prefix, totals)).as(prefix).isInstanceOf(FeedException.class);
      }
    }
  }

  @Test
  void objectWithoutALineEndIsRejectedToo() throws IOException {
    String object =
        "{\"paymentId\":\"a\",\"amount\":1,\"currency\":\"EUR\",\"debtorAccount\":\"A\","
            + "\"creditorAccount\":\"B\"}";
    assertThat(read(object, FeedTotals.UNKNOWN))
        .singleElement()
        .isInstanceOfSatisfying(
            FeedRecord.Rejected.class,
            rejected -> assertThat(rejected.reason()).startsWith(NO_LINE_END));
    assertThat(read(object, announced(1, "EUR:1")).getFirst())
        .isInstanceOf(FeedRecord.Accepted.class);
  }

  @Test
  void headerRowWithoutALineEndIsNoFeed() {
    assertThatThrownBy(() -> read(HEADER.strip(), FeedTotals.UNKNOWN))
        .isInstanceOf(FeedException.class)
        .hasMessageStartingWith("it ends in the line of its header row");
  }

  @Test
  void feedIsRefusedAtItsEndIfItDiffersFromItsTotals() {
    String feed = HEADER + FIRST;
    assertDiffers(feed, announced(2, "EUR:10"), "it has 1 records and was announced with 2");
    assertDiffers(
        feed,
        announced(1, "EUR:11.00"),
        "its amounts in EUR add up to 10.00 and were announced with 11.00");
    assertDiffers(
        feed,
        sum("EUR:10,USD:3.00"),
        "its amounts in USD add up to 0 and were announced with 3.00");
    assertDiffers(
        feed + "c,A,B,JPY,7\n",
        sum("EUR:10"),
        "its amounts in JPY add up to 7 and were announced with 0");
  }

  @Test
  void amountsOfRejectedRecordsAreAdded() throws IOException {
    String feed = HEADER + FIRST + ",A,B,EUR,5\n" + "c,A,B,EUR,many\n" + FIRST;
    assertThat(read(feed, announced(4, "EUR:25.00"))).hasSize(4);
  }

  @Test
  void controlSumIsReadAsItIsWritten() {
    String text = "EUR:1234.50,USD:3.00";
    assertThat(sum(text).controlSumText()).contains(text);
    for (String wrong :
        List.of("", "EUR", "EUR:", "EUR:1,", "EUR:1,EUR:2", "eur:1", "EUR:-1", "EUR:1e3", "1.00")) {
      assertThat(FeedTotals.controlSum(wrong)).as(wrong).isEmpty();
    }
  }
}
