package dev.weir.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.feeds.internal.RecordReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class FeedTest {

  @Test
  void findsColumnsByNameInAnyOrderAndCase() throws IOException {
    assertThat(csv("requestedtime, EVENTID ,ConfigName\r\n2026-06-01T12:00:00Z,pay-1,bulk\r\n"))
        .containsExactly(
            entry(
                2,
                "2026-06-01T12:00:00Z,pay-1,bulk",
                "{\"eventId\":\"pay-1\",\"configName\":\"bulk\",\"requestedTime\":\"2026-06-01T12:00:00Z\"}"));
  }

  @Test
  void leavesEmptyFieldsOutAndNamesTheGivenConfiguration() throws IOException {
    assertThat(csv("eventId,configName,requestedTime\npay-1,,\n"))
        .containsExactly(entry(2, "pay-1,,", "{\"eventId\":\"pay-1\"}"));
    assertThat(lines(FeedFormat.CSV, "eventId\npay-1\n", Optional.of("bulk")))
        .containsExactly(entry(2, "pay-1", "{\"eventId\":\"pay-1\",\"configName\":\"bulk\"}"));
  }

  @Test
  void writesAwkwardIdsAsJsonOnOneLine() throws IOException {
    assertThat(csv("eventId\n\"a \"\"b\"\"\n\\c\"\nlast\n"))
        .containsExactly(
            entry(2, "\"a \"\"b\"\"\n\\c\"", "{\"eventId\":\"a \\\"b\\\"\\n\\\\c\"}"),
            entry(4, "last", "{\"eventId\":\"last\"}"));
  }

  @Test
  void goesOnAfterLinesThatCannotBeRead() throws IOException {
    assertThat(csv("eventId,configName\na\nb,x\n\n\"c\nd,x\ne\"e,x\nf,x,y\n\"g,x"))
        .containsExactly(
            flawed(2, "a", "has 1 fields where the header row has 2"),
            entry(3, "b,x", "{\"eventId\":\"b\",\"configName\":\"x\"}"),
            flawed(5, "\"c\nd,x\ne\"e,x", "field 1 goes on after its closing quote"),
            flawed(8, "f,x,y", "has 3 fields where the header row has 2"),
            flawed(9, "\"g,x", "a quote is opened and never closed"));
  }

  @Test
  void losesOnlyOneLineToAQuoteThatIsNeverClosed() throws IOException {
    assertThat(csv("eventId\n\"a\nb\nc\n"))
        .containsExactly(
            flawed(2, "\"a", "a quote is opened and never closed"),
            entry(3, "b", "{\"eventId\":\"b\"}"),
            entry(4, "c", "{\"eventId\":\"c\"}"));
  }

  @Test
  void refusesAHeaderThatDoesNotNameTheEvent() {
    assertThatThrownBy(() -> csv("id,time\n1,2\n"))
        .isInstanceOf(FeedException.class)
        .hasMessageContaining("no column eventId");
    assertThatThrownBy(() -> csv("")).hasMessageContaining("empty");
    assertThatThrownBy(() -> csv("eventId,EVENTID\n")).hasMessageContaining("more than once");
    assertThatThrownBy(() -> csv("eventId,requestedTime,requestedtime\n"))
        .hasMessageContaining("requestedTime more than once");
  }

  /** Whoever misspells a column would have everything scheduled for now. */
  @Test
  void refusesAHeaderWithColumnsThatItDoesNotKnow() {
    assertThatThrownBy(() -> csv("eventId,requested_time\npay-1,2030-01-01T00:00:00Z\n"))
        .isInstanceOf(FeedException.class)
        .hasMessageContaining("unknown columns: requested_time;")
        .hasMessageContaining("eventId, configName, requestedTime");
    assertThatThrownBy(() -> csv("eventId,\npay-1,\n")).hasMessageContaining("(no name)");
  }

  /** As a text it would be an id that the feed does not contain. */
  @Test
  void leavesNumbersAsTheyAreWritten() throws IOException {
    assertThat(
            lines(
                FeedFormat.NDJSON,
                "{\"eventId\":1e999}\n{\"eventId\":1.10}\n",
                Optional.of("bulk")))
        .containsExactly(
            entry(1, "{\"eventId\":1e999}", "{\"eventId\":1e999,\"configName\":\"bulk\"}"),
            entry(2, "{\"eventId\":1.10}", "{\"eventId\":1.10,\"configName\":\"bulk\"}"));
  }

  @Test
  void handsJsonOnUntouched() throws IOException {
    assertThat(ndjson("\uFEFF{\"eventId\": \"a\"}\r\n\n  \r\n{broken\n"))
        .containsExactly(
            entry(1, "{\"eventId\": \"a\"}", "{\"eventId\": \"a\"}"),
            entry(4, "{broken", "{broken"));
  }

  @Test
  void keepsBackWhatTheServerMightTakeForABlankLine() throws IOException {
    assertThat(ndjson("\u2003\n\"text\"\n\u0000\n"))
        .containsExactly(
            flawed(2, "\"text\"", "is not a JSON object"),
            flawed(3, "\u0000", "is not a JSON object"));
  }

  @Test
  void namesTheGivenConfigurationWhereTheEntryDoesNot() throws IOException {
    String feed =
        """
        {"eventId":"a"}
        {"eventId":"b","configName":"own"}
        {"eventId":"c","configName":null,"more":{"configName":"inner","n":[1.5,{}]}}
        {broken
        {}
        """;
    assertThat(lines(FeedFormat.NDJSON, feed, Optional.of("bulk")))
        .extracting(line -> ((FeedLine.Entry) line).request())
        .containsExactly(
            "{\"eventId\":\"a\",\"configName\":\"bulk\"}",
            "{\"eventId\":\"b\",\"configName\":\"own\"}",
            "{\"eventId\":\"c\",\"more\":{\"configName\":\"inner\",\"n\":[1.5,{}]},\"configName\":\"bulk\"}",
            "{broken",
            "{\"configName\":\"bulk\"}");
  }

  @Test
  void keepsHalfOfASurrogatePairEscapedWhereItNamesTheConfiguration() throws IOException {
    String feed =
        """
        {"eventId":"a\\ud800"}
        {"\\uDFFF":"\\u00e4\\ud83d\\ude00"}
        """;
    assertThat(lines(FeedFormat.NDJSON, feed, Optional.of("bulk")))
        .extracting(line -> ((FeedLine.Entry) line).request())
        .containsExactly(
            "{\"eventId\":\"a\\uD800\",\"configName\":\"bulk\"}",
            "{\"\\uDFFF\":\"\\u00E4\\uD83D\\uDE00\",\"configName\":\"bulk\"}");
  }

  @Test
  void neverSendsAnIdThatItCouldNotRead() throws IOException {
    byte[] feed = "eventId\nm?ller\n\uFFFD\n".getBytes(StandardCharsets.UTF_8);
    feed["eventId\nm".length()] = (byte) 0xFC; // A Latin-1 u with dots.
    assertThat(
            read(
                FeedFormat.CSV.open(
                    new ByteArrayInputStream(feed), Optional.empty(), OptionalLong.empty())))
        .containsExactly(
            flawed(2, "m\uFFFDller", "is not UTF-8"),
            entry(3, "\uFFFD", "{\"eventId\":\"\uFFFD\"}"));
  }

  @Test
  void passesOverALineThatIsTooLong() throws IOException {
    String longId = "x".repeat(3 * RecordReader.MAX_RECORD_BYTES);
    List<FeedLine> lines = ndjson("{\"eventId\":\"" + longId + "\"}\n{\"eventId\":\"b\"}\n");
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0))
        .isInstanceOfSatisfying(
            FeedLine.Flawed.class,
            flawed -> {
              assertThat(flawed.flaw()).startsWith("is longer than");
              assertThat(flawed.text()).hasSizeLessThan(2_000);
            });
    assertThat(lines.get(1)).isEqualTo(entry(2, "{\"eventId\":\"b\"}", "{\"eventId\":\"b\"}"));
  }

  @Test
  void readsTheSameHoweverTheBytesArrive() throws IOException {
    StringBuilder feed = new StringBuilder("eventId,configName\n");
    for (int index = 0; index < 60_000; index++) {
      feed.append("\"pay\n").append(index).append("\",bulk\r\n");
    }
    byte[] bytes = feed.toString().getBytes(StandardCharsets.UTF_8);
    InputStream slow =
        new ByteArrayInputStream(bytes) {
          @Override
          public synchronized int read(byte[] target, int offset, int length) {
            return super.read(target, offset, Math.min(length, 7));
          }
        };
    List<FeedLine> lines = read(FeedFormat.CSV.open(slow, Optional.empty(), OptionalLong.empty()));
    assertThat(lines).hasSize(60_000).isEqualTo(csv(feed.toString()));
    assertThat(lines.getLast().number()).isEqualTo(2 + 2 * 59_999);
  }

  @Test
  void noPrefixOfAFeedIsTakenForAnotherEvent() throws IOException {
    String feed =
        "eventId,requestedTime\npay-1,2030-01-01T00:00:00Z\npay-22,2031-12-01T00:00:00Z\n";
    List<FeedLine> whole = csv(feed);
    for (int length = feed.indexOf('\n') + 1; length < feed.length(); length++) {
      for (FeedLine line : csv(feed.substring(0, length))) {
        if (line instanceof FeedLine.Flawed flawed) {
          assertThat(flawed.flaw()).startsWith("has no line end, so a part of it may be missing");
        } else {
          assertThat(whole).contains(line);
        }
      }
    }
  }

  @Test
  void lastLineWithoutALineEndIsOneOfAsManyAsTheFeedHas() throws IOException {
    for (FeedFormat format : FeedFormat.values()) {
      String feed =
          format == FeedFormat.CSV ? "eventId\na\nb" : "{\"eventId\":\"a\"}\n{\"eventId\":\"b\"}";
      assertThat(lines(format, feed, Optional.empty(), OptionalLong.of(2)))
          .hasSize(2)
          .allMatch(FeedLine.Entry.class::isInstance);
      assertThat(lines(format, feed, Optional.empty()).getLast())
          .isInstanceOf(FeedLine.Flawed.class);
      for (String other : List.of(feed, feed + "\n")) {
        assertThatThrownBy(() -> lines(format, other, Optional.empty(), OptionalLong.of(3)))
            .isInstanceOf(FeedException.class)
            .hasMessageStartingWith("it has 2 records where --records says 3, so a part of it");
      }
    }
    assertThatThrownBy(() -> csv("eventId")).hasMessageContaining("in the line of its header row");
  }

  @Test
  void knowsTheFormatByTheName() {
    assertThat(FeedFormat.ofFileName("a/FEED.CSV")).contains(FeedFormat.CSV);
    assertThat(FeedFormat.ofFileName("feed.ndjson")).contains(FeedFormat.NDJSON);
    assertThat(FeedFormat.ofFileName("feed.txt")).isEmpty();
  }

  private static FeedLine entry(long number, String text, String request) {
    return new FeedLine.Entry(number, text, request);
  }

  private static FeedLine flawed(long number, String text, String flaw) {
    return new FeedLine.Flawed(number, text, flaw);
  }

  private static List<FeedLine> csv(String text) throws IOException {
    return lines(FeedFormat.CSV, text, Optional.empty());
  }

  private static List<FeedLine> ndjson(String text) throws IOException {
    return lines(FeedFormat.NDJSON, text, Optional.empty());
  }

  private static List<FeedLine> lines(FeedFormat format, String text, Optional<String> configName)
      throws IOException {
    return lines(format, text, configName, OptionalLong.empty());
  }

  private static List<FeedLine> lines(
      FeedFormat format, String text, Optional<String> configName, OptionalLong records)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Feed feed = format.open(new ByteArrayInputStream(bytes), configName, records);
    List<FeedLine> lines = read(feed);
    assertThat(feed.consumedBytes()).isEqualTo(bytes.length);
    return lines;
  }

  private static List<FeedLine> read(Feed feed) throws IOException {
    List<FeedLine> lines = new ArrayList<>();
    for (FeedLine line = feed.next(); line != null; line = feed.next()) {
      lines.add(line);
    }
    return lines;
  }
}
