package dev.weir.payments.feed.internal;

import static dev.weir.payments.feed.internal.FeedReaderTest.HEADER;
import static dev.weir.payments.feed.internal.FeedReaderTest.LINE;
import static dev.weir.payments.feed.internal.FeedReaderTest.PAYMENT;
import static dev.weir.payments.feed.internal.FeedReaderTest.PLAIN_LINE;
import static dev.weir.payments.feed.internal.FeedReaderTest.csv;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.feeds.internal.RecordReader;
import dev.weir.payments.FeedRecord;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** CSV feeds with quotes: no text inside quotes is paid, and a stray quote costs little. */
final class FeedQuotesTest {
  /**
   * The quotes of the next line close it, so that both look like one record. A quoted text that is
   * followed by something looks the same, and nothing in it may be paid.
   */
  @Test
  void losesTheLinesUpToTheNextQuoteToAStrayOne() throws IOException {
    assertThat(csv(HEADER + LINE + "p\",\"1,EUR\n" + LINE + LINE))
        .extracting(FeedRecord::line, FeedRecord::getClass)
        .containsExactly(
            tuple(2L, FeedRecord.Accepted.class),
            tuple(3L, FeedRecord.Rejected.class),
            tuple(5L, FeedRecord.Accepted.class));
  }

  @Test
  void readsALongQuotedTextAsOneRecordWhateverItContains() throws IOException {
    String smuggled = ("x\n" + PLAIN_LINE).repeat(1_000);
    assertThat(csv(HEADER + "p,5,EUR,A,B,,\"" + smuggled + "\",\n"))
        .hasSize(1)
        .hasOnlyElementsOfType(FeedRecord.Rejected.class);
  }

  @Test
  void readsNoPaymentInAQuotedTextOfARecordWithTooManyFields() throws IOException {
    assertThat(csv(HEADER + "p,5,EUR,A,B,,\"x\n" + PLAIN_LINE + "y\",,,\n"))
        .singleElement()
        .isInstanceOfSatisfying(
            FeedRecord.Rejected.class,
            rejected ->
                assertThat(rejected.reason())
                    .startsWith("has 10 fields")
                    .endsWith(
                        "; lines 2 to 4 are one record because of their quotes, and none of them"
                            + " is paid"));
  }

  @Test
  void readsNoPaymentInAClosedQuotedTextWhateverElseIsWrong() throws IOException {
    String inside = "\"x\n" + PLAIN_LINE + "\"";
    for (String record :
        List.of(
            "p," + inside + ",EU\"R,A,B,,,\n",
            "p," + inside + ",EUR,A\rz,B,,,\n",
            "p,5,EUR,A,B,," + inside + "y,\n",
            "p,5,EUR,A,B,," + inside + " ,\n",
            "p,5,EUR,A,B,," + inside + "\rfoo,\n",
            "p," + inside + ",EUR,A,B,," + "k".repeat(300_000) + ",\n",
            "p," + inside + ",EUR,A,B,," + "k".repeat(300_000) + "," + inside + "\n")) {
      List<FeedRecord> records = csv(HEADER + record + LINE);
      assertThat(records).as(record.substring(0, 30)).hasSize(2);
      assertThat(records.getFirst())
          .isInstanceOfSatisfying(
              FeedRecord.Rejected.class,
              rejected -> assertThat(rejected.reason()).contains("; lines 2 to "));
      assertThat(records.getLast()).isInstanceOf(FeedRecord.Accepted.class);
      assertThat(((FeedRecord.Rejected) records.getFirst()).reason())
          .contains("lines 2 to " + (records.getLast().line() - 1) + " are");
    }
  }

  @Test
  void namesTheLinesThatAQuoteEnclosesWhateverIsWrongWithThem() throws IOException {
    String enclosed = "p,5,EUR,A,B,,\"x\n" + PLAIN_LINE + "y\",\n";
    byte[] notUtf8 = (HEADER + enclosed + LINE).getBytes(ISO_8859_1);
    notUtf8[HEADER.length() + "p,5,EUR,A,B,,\"".length()] = (byte) 0xff;
    for (byte[] feed : List.of((HEADER + enclosed + LINE).getBytes(UTF_8), notUtf8)) {
      FeedReader reader = FeedReader.open(new ByteArrayInputStream(feed), FeedFormat.CSV);
      assertThat(reader.next())
          .containsInstanceOf(FeedRecord.Rejected.class)
          .map(record -> ((FeedRecord.Rejected) record).reason())
          .hasValueSatisfying(reason -> assertThat(reason).contains("; lines 2 to 4 are one"));
      assertThat(reader.next()).contains(new FeedRecord.Accepted(5, PAYMENT));
    }
  }

  /** Each of its quotes is closed in the next line, which opens the next. */
  @Test
  void rejectsATooLongRecordToItsEnd() throws IOException {
    for (String line : List.of("a\"b,\"\n", "a\"bc,\"\n")) {
      assertThat(csv(HEADER + line.repeat(100_000)))
          .singleElement()
          .isInstanceOfSatisfying(
              FeedRecord.Rejected.class,
              rejected ->
                  assertThat(rejected.reason())
                      .startsWith("is longer than 262144 bytes; lines 2 to 100001 are"));
    }
  }

  /** The second text is never closed, which does not open the first. */
  @Test
  void readsNoPaymentInAClosedTextBeforeAStrayQuote() throws IOException {
    assertThat(csv(HEADER + "p,5,EUR,\"x\n" + PLAIN_LINE + "y\",\"z\n" + PLAIN_LINE))
        .extracting(FeedRecord::line, FeedRecord::getClass)
        .containsExactly(
            tuple(2L, FeedRecord.Rejected.class), tuple(5L, FeedRecord.Accepted.class));
  }

  /** What counts is how long a quoted text is, not how long its record is. */
  @Test
  void readsNoPaymentInTheTextsOfATooLongRecord() throws IOException {
    String text = "\"" + PLAIN_LINE.repeat(150_000 / PLAIN_LINE.length()) + "\"";
    String largest =
        "\"" + PLAIN_LINE + "z".repeat(RecordReader.MAX_RECORD_BYTES - PLAIN_LINE.length());
    for (String record :
        List.of(
            "p,5,EUR,A,B,," + text + "," + text,
            "p,5,EUR,A,B,," + "k".repeat(200_000) + "," + text,
            "p,5,EUR,A,B,," + "k".repeat(300_000) + "," + text + "," + text,
            "p,5,EUR,A,B,," + largest + "\",")) {
      assertThat(csv(HEADER + record + "\n" + LINE))
          .extracting(FeedRecord::getClass)
          .containsExactly(FeedRecord.Rejected.class, FeedRecord.Accepted.class);
    }
  }

  @Test
  void losesOnlyItsLineToAStrayQuoteAtTheEndOfATooLongOne() throws IOException {
    assertThat(csv(HEADER + "k".repeat(300_000) + ",\"stray\n" + PLAIN_LINE + PLAIN_LINE))
        .extracting(FeedRecord::line, FeedRecord::getClass)
        .containsExactly(
            tuple(2L, FeedRecord.Rejected.class),
            tuple(3L, FeedRecord.Accepted.class),
            tuple(4L, FeedRecord.Accepted.class));
  }
}
