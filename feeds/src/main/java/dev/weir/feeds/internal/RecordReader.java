package dev.weir.feeds.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits a stream of bytes into records that end at a line feed, in a buffer of fixed size. In CSV,
 * a line feed inside a quoted text belongs to the record.
 *
 * <p>A quote whose text has more than {@link #MAX_RECORD_BYTES} is taken for a stray one, and the
 * record ends with the line of that quote. Until then, all that follows the quote is kept, so the
 * lines behind it can be read as records. Each is read at most once more: as long as a quoted text
 * is not closed, it contains quotes in pairs only, and a line of those opens no text.
 *
 * <p>This is not left to FastCSV, which stops at the first malformed record: an import continues
 * after it, reports every rejected record as it is in the file, and counts the bytes that it has
 * taken.
 *
 * <p>Works on bytes because line feed, comma and quote never occur inside a longer UTF-8 sequence.
 */
public final class RecordReader {
  public static final int MAX_RECORD_BYTES = 256 * 1024;
  private static final char REPLACEMENT = '\uFFFD';
  private static final int SHOWN_OF_TOO_LONG_BYTES = 1_000;
  private static final String NEVER_CLOSED = "a quote is opened and never closed";

  private final InputStream in;
  private final boolean csv;

  private final int maxBytes;

  /** Has room for a record, a quoted text that begins at its end, and what is read beyond them. */
  private final byte[] buffer;

  private int start;
  private int end;
  private boolean begun;
  private boolean ended;
  private long consumedBytes;
  private long line = 1;

  /** The record that is being read. */
  private Scan scan = new Scan(1);

  /**
   * Reads records from a stream.
   *
   * @param csv whether a line feed inside quotes belongs to the record
   */
  public RecordReader(InputStream in, boolean csv) {
    this(in, csv, MAX_RECORD_BYTES);
  }

  RecordReader(InputStream in, boolean csv, int maxBytes) {
    this.in = in;
    this.csv = csv;
    this.maxBytes = maxBytes;
    this.buffer = new byte[3 * maxBytes];
  }

  /**
   * A record without its line end.
   *
   * @param line the number of its first line, from 1
   * @param lastLine the number of its last line
   * @param hasLineEnd false if the stream ended before the record did, so that more may belong to
   *     it
   * @param flaw why it cannot be used; null if it can
   */
  public record Cut(
      long line, long lastLine, String text, boolean hasLineEnd, @Nullable String flaw) {}

  /** Returns the total bytes of the records returned so far. */
  public long consumedBytes() {
    return consumedBytes;
  }

  /** Returns true if reading the next record may block. */
  public boolean mayBlock() throws IOException {
    for (int at = start; at < end; at++) {
      if (buffer[at] == '\n') {
        return false;
      }
    }
    return !ended && in.available() == 0;
  }

  /** Returns the next record that is not blank, or null at the end of the stream. */
  public @Nullable Cut nextNonBlank() throws IOException {
    Cut cut = next();
    while (cut != null && cut.text().isBlank()) {
      cut = next();
    }
    return cut;
  }

  /** Returns the next record, or null at the end of the stream. */
  public @Nullable Cut next() throws IOException {
    if (!begun) {
      skipByteOrderMark();
    }
    scan = new Scan(line);
    while (true) {
      if (scan.toLineFeed()) {
        return ended(1, null);
      }
      if (scan.isStray()) {
        if (endAtLineOfQuote()) {
          return ended(1, NEVER_CLOSED);
        }
        scan.ignoreQuotes();
      } else if (start + scan.length == end) {
        drop(scan.droppable());
        if (!fill()) {
          return atEnd();
        }
      }
    }
  }

  private @Nullable Cut atEnd() {
    if (scan.length == 0 && scan.beginning == null) {
      return null;
    }
    if (scan.quotes != Quotes.OPEN) {
      return ended(0, null);
    }
    return ended(endAtLineOfQuote() ? 1 : 0, NEVER_CLOSED);
  }

  /**
   * Ends the record with the line in which the open quote is, and returns true, if that line has an
   * end in the buffer. What follows is read again.
   */
  private boolean endAtLineOfQuote() {
    for (int at = scan.quote; at < scan.length; at++) {
      if (buffer[start + at] == '\n') {
        scan.length = at;
        return true;
      }
    }
    return false;
  }

  /** Forgets the first bytes of a record that is too long, except for what is shown of it. */
  private void drop(int bytes) {
    if (bytes > 0) {
      if (scan.beginning == null) {
        scan.beginning = shown();
      }
      consume(bytes);
      scan.length -= bytes;
      scan.quote -= bytes;
    }
  }

  private String shown() {
    int length = Math.min(SHOWN_OF_TOO_LONG_BYTES, maxBytes);
    return new String(buffer, start, length, StandardCharsets.UTF_8) + "...";
  }

  private Cut ended(int feedBytes, @Nullable String flaw) {
    if (scan.beginning == null && scan.length <= maxBytes) {
      return cut(scan.length, feedBytes, flaw);
    }
    String text = scan.beginning == null ? shown() : scan.beginning;
    long last = line + lineFeeds(start, start + scan.length);
    consume(scan.length + feedBytes);
    return new Cut(
        scan.firstLine, last, text, feedBytes > 0, "is longer than " + maxBytes + " bytes");
  }

  private Cut cut(int length, int feedBytes, @Nullable String flaw) {
    int textLength = length > 0 && buffer[start + length - 1] == '\r' ? length - 1 : length;
    String text = new String(buffer, start, textLength, StandardCharsets.UTF_8);
    boolean readable = text.indexOf(REPLACEMENT) < 0 || isUtf8(start, textLength);
    long last = line + lineFeeds(start, start + length);
    Cut cut =
        new Cut(line, last, text, feedBytes > 0, flaw != null || readable ? flaw : "is not UTF-8");
    consume(length + feedBytes);
    return cut;
  }

  /**
   * Distinguishes a genuine replacement character in the text from one that stands for invalid
   * bytes: an id must not be sent as a different one.
   */
  private boolean isUtf8(int from, int length) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(buffer, from, length));
      return true;
    } catch (CharacterCodingException unreadable) {
      return false;
    }
  }

  private void consume(int bytes) {
    line += lineFeeds(start, start + bytes);
    start += bytes;
    consumedBytes += bytes;
  }

  private int lineFeeds(int from, int until) {
    int count = 0;
    for (int at = from; at < until; at++) {
      if (buffer[at] == '\n') {
        count++;
      }
    }
    return count;
  }

  /** Skips a byte order mark, with which files from spreadsheets often begin. */
  private void skipByteOrderMark() throws IOException {
    begun = true;
    boolean more = true;
    while (end < 3 && more) {
      more = fill();
    }
    byte[] mark = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    if (end >= 3 && Arrays.equals(buffer, 0, 3, mark, 0, 3)) {
      consume(3);
    }
  }

  private boolean fill() throws IOException {
    if (ended) {
      return false;
    }
    if (start > 0 && buffer.length - end < maxBytes / 2) {
      System.arraycopy(buffer, start, buffer, 0, end - start);
      end -= start;
      start = 0;
    }
    int count = in.read(buffer, end, buffer.length - end);
    ended = count < 0;
    end += Math.max(count, 0);
    return !ended;
  }

  /** How far a record has been read. Offsets count from the first byte that is kept of it. */
  private final class Scan {
    final long firstLine;
    int length;
    Quotes quotes = Quotes.FIELD_BEGINS;

    /** Offset of the quote that opened the last quoted text. */
    int quote;

    /** What is shown of a record whose first bytes were dropped; null if none were. */
    @Nullable String beginning;

    private boolean isPlain = !csv;

    Scan(long firstLine) {
      this.firstLine = firstLine;
    }

    /** Reads to the end of the record; returns false if it is not in the buffer or not certain. */
    boolean toLineFeed() {
      int at = start + length;
      Quotes state = quotes;
      boolean isAtEnd = false;
      while (at < end && !isAtEnd && !(state == Quotes.OPEN && isTooFar(at))) {
        byte next = buffer[at];
        isAtEnd = next == '\n' && state != Quotes.OPEN;
        if (!isAtEnd) {
          if (next == '"' && state == Quotes.FIELD_BEGINS) {
            quote = at - start;
          }
          state = isPlain ? state : state.after(next);
          at++;
        }
      }
      length = at - start;
      quotes = state;
      return isAtEnd;
    }

    private boolean isTooFar(int at) {
      return at - start - quote > maxBytes + 1;
    }

    /** Returns true if a quote has been open for as long as it may be. */
    boolean isStray() {
      return quotes == Quotes.OPEN && isTooFar(start + length);
    }

    void ignoreQuotes() {
      isPlain = true;
      quotes = Quotes.IN_FIELD;
    }

    /** Returns how many of the first bytes are not needed any more. */
    int droppable() {
      boolean isInText = quotes == Quotes.OPEN || quotes == Quotes.MAYBE_CLOSED;
      int needed = isInText ? quote : length;
      return beginning != null || needed > maxBytes ? needed : 0;
    }
  }

  /**
   * The position in a CSV record. A quote opens a field only at its beginning, so that a stray
   * quote inside a field invalidates only its own record.
   */
  private enum Quotes {
    FIELD_BEGINS,
    IN_FIELD,
    OPEN,
    MAYBE_CLOSED;

    Quotes after(byte next) {
      return switch (this) {
        case FIELD_BEGINS -> next == '"' ? OPEN : next == ',' ? FIELD_BEGINS : IN_FIELD;
        case IN_FIELD -> next == ',' ? FIELD_BEGINS : IN_FIELD;
        case OPEN -> next == '"' ? MAYBE_CLOSED : OPEN;
        case MAYBE_CLOSED -> next == '"' ? OPEN : next == ',' ? FIELD_BEGINS : IN_FIELD;
      };
    }
  }
}
