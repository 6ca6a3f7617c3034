package dev.weir.feeds.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/** Records with a small maximum, against a naive splitter of the whole text. */
final class RecordReaderPropertyTest {
  private static final String NEVER_CLOSED = "a quote is opened and never closed";

  /** A record, without its text if it is too long. */
  private record Piece(long line, long lastLine, String text, @Nullable String flaw) {}

  @Property(tries = 5_000)
  void splitsAsTheNaiveSplitterHoweverTheBytesArrive(
      @ForAll("feeds") String feed,
      @ForAll @IntRange(min = 4, max = 24) int maxBytes,
      @ForAll @IntRange(min = 1, max = 40) int bytesAtATime)
      throws IOException {
    RecordReader reader = new RecordReader(slow(feed, bytesAtATime), true, maxBytes);
    List<Piece> pieces = new ArrayList<>();
    for (RecordReader.@Nullable Cut cut = reader.next(); cut != null; cut = reader.next()) {
      boolean isTooLong = cut.flaw() != null && !cut.flaw().equals(NEVER_CLOSED);
      pieces.add(new Piece(cut.line(), cut.lastLine(), isTooLong ? "" : cut.text(), cut.flaw()));
    }
    assertThat(pieces).isEqualTo(naive(feed, maxBytes));
    assertThat(reader.consumedBytes()).isEqualTo(feed.length());
  }

  @Provide
  Arbitrary<String> feeds() {
    return Arbitraries.of("\"", "\"", "\"\"", ",", ",\"", "\n", "\n", "\",", "a", "bcdef")
        .list()
        .ofMaxSize(60)
        .map(parts -> String.join("", parts));
  }

  private static InputStream slow(String feed, int bytesAtATime) {
    return new ByteArrayInputStream(feed.getBytes(US_ASCII)) {
      @Override
      public synchronized int read(byte[] into, int from, int length) {
        return super.read(into, from, Math.min(length, bytesAtATime));
      }
    };
  }

  private static List<Piece> naive(String feed, int maxBytes) {
    List<Piece> pieces = new ArrayList<>();
    int from = 0;
    while (from < feed.length()) {
      boolean isFieldBegin = true;
      boolean isStray = false;
      int at = from;
      while (at < feed.length() && feed.charAt(at) != '\n') {
        if (isFieldBegin && feed.charAt(at) == '"') {
          int close = closing(feed, at);
          isStray = close < 0 || close - at - 1 > maxBytes;
          if (isStray) {
            int feedAfter = feed.indexOf('\n', at);
            at = feedAfter < 0 ? feed.length() : feedAfter;
            break;
          }
          at = close;
        }
        isFieldBegin = feed.charAt(at) == ',';
        at++;
      }
      String text = feed.substring(from, at);
      long line = 1 + lineFeeds(feed.substring(0, from));
      boolean isTooLong = text.length() > maxBytes;
      String flaw = isTooLong ? "is longer than " + maxBytes + " bytes" : null;
      pieces.add(
          new Piece(
              line,
              line + lineFeeds(text),
              isTooLong ? "" : text,
              flaw == null && isStray ? NEVER_CLOSED : flaw));
      from = at + 1;
    }
    return pieces;
  }

  /** Returns where the text that a quote opens is closed; -1 if it never is. */
  private static int closing(String feed, int quote) {
    int at = feed.indexOf('"', quote + 1);
    while (at >= 0 && at + 1 < feed.length() && feed.charAt(at + 1) == '"') {
      at = feed.indexOf('"', at + 2);
    }
    return at;
  }

  private static long lineFeeds(String text) {
    return text.chars().filter(character -> character == '\n').count();
  }
}
