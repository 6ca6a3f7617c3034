package dev.weir.payments.feed.internal;

import dev.weir.feeds.internal.RecordReader;
import dev.weir.payments.FeedRecord;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads a feed of payments one record at a time, in memory of a fixed size however long the feed or
 * a line is. A record that cannot be paid is an ordinary result, and reading goes on after it.
 * Whether a payment id occurs twice is for the store to find, which remembers earlier feeds too.
 * Not thread-safe.
 */
public final class FeedReader {
  /** Max number of records, so that a few compressed bytes cannot become endless work. */
  public static final int MAX_RECORDS = 10_000_000;

  private static final byte GZIP_MAGIC_1 = 0x1F;
  private static final byte GZIP_MAGIC_2 = (byte) 0x8B;

  private final RecordReader records;
  private final RecordParser parser;
  private final FeedTotals announced;
  private final int maxRecords;
  private final Map<String, BigDecimal> sums = new HashMap<>();
  private int read;
  private boolean endsInALine;

  private FeedReader(
      RecordReader records, RecordParser parser, FeedTotals announced, int maxRecords) {
    this.records = records;
    this.parser = parser;
    this.announced = announced;
    this.maxRecords = maxRecords;
  }

  /**
   * Opens a feed and reads the header row if it has one.
   *
   * @param in the feed, as it is or compressed with gzip; the caller closes it
   * @throws FeedException if the header row names columns that are unknown, repeated or missing
   */
  public static FeedReader open(InputStream in, FeedFormat format) throws IOException {
    return open(in, format, FeedTotals.UNKNOWN);
  }

  /**
   * Opens a feed of which its sender has said how long it is. If it differs from that, its end is a
   * {@link FeedException}.
   */
  public static FeedReader open(InputStream in, FeedFormat format, FeedTotals announced)
      throws IOException {
    return open(in, format, announced, MAX_RECORDS);
  }

  static FeedReader open(InputStream in, FeedFormat format, FeedTotals announced, int maxRecords)
      throws IOException {
    RecordReader records = new RecordReader(uncompressed(in), format == FeedFormat.CSV);
    RecordParser parser =
        switch (format) {
          case CSV -> CsvParser.ofHeader(header(records));
          case NDJSON -> new NdjsonParser();
        };
    return new FeedReader(records, parser, announced, maxRecords);
  }

  /**
   * Returns the next record; empty at the end.
   *
   * @throws FeedException if the feed is damaged or too long, or ends and is not what was announced
   */
  public Optional<FeedRecord> next() throws IOException {
    RecordReader.Cut cut = records.nextNonBlank();
    if (cut == null) {
      Optional<String> difference = announced.difference(totals());
      if (difference.isPresent()) {
        throw new FeedException(difference.get() + ", so a part of it may be missing");
      }
      return Optional.empty();
    }
    if (read == maxRecords) {
      throw new FeedException("it has more than " + maxRecords + " records");
    }
    read++;
    return Optional.of(record(cut));
  }

  /** Returns the records that are left. What {@link #next} throws is wrapped. */
  public Iterator<FeedRecord> records() {
    return new Iterator<>() {
      private Optional<FeedRecord> next = Optional.empty();

      @Override
      public boolean hasNext() {
        if (next.isEmpty()) {
          try {
            next = FeedReader.this.next();
          } catch (IOException failed) {
            throw new UncheckedIOException(failed);
          }
        }
        return next.isPresent();
      }

      @Override
      public FeedRecord next() {
        if (!hasNext()) {
          throw new NoSuchElementException("the feed has ended");
        }
        FeedRecord record = next.orElseThrow();
        next = Optional.empty();
        return record;
      }
    };
  }

  /** Returns the totals of the records so far. */
  public FeedTotals totals() {
    return new FeedTotals(OptionalLong.of(read), Optional.of(sums));
  }

  /** Returns true if the last record that was read has no line end, so it may be cut off. */
  public boolean endsInALine() {
    return endsInALine;
  }

  /** Returns the bytes of the records so far, uncompressed. */
  public long consumedBytes() {
    return records.consumedBytes();
  }

  private FeedRecord record(RecordReader.Cut cut) {
    String flaw = cut.flaw();
    endsInALine = !cut.hasLineEnd();
    if (flaw != null) {
      return rejected(cut, flaw, "");
    }
    if (endsInALine && !announced.records().equals(OptionalLong.of(read))) {
      return rejected(
          cut,
          "has no line end, so a part of it may be missing: end the line, or say how many records"
              + " the feed has",
          "");
    }
    try {
      RawPayment raw = parser.parse(cut.text());
      FeedRecord record = PaymentCheck.of(cut.line(), raw, cut.text());
      add(raw, record);
      return record instanceof FeedRecord.Rejected rejected
          ? rejected(cut, rejected.reason(), rejected.paymentId())
          : record;
    } catch (RecordParser.MalformedRecordException malformed) {
      return rejected(cut, malformed.reason(), "");
    }
  }

  private void add(RawPayment raw, FeedRecord record) {
    Optional<BigDecimal> amount =
        record instanceof FeedRecord.Accepted accepted
            ? Optional.of(accepted.payment().amount())
            : PaymentCheck.amount(raw);
    amount.ifPresent(given -> sums.merge(raw.get(FeedField.CURRENCY), given, BigDecimal::add));
  }

  /**
   * Rejects a record, and names its lines if there are several. What a quoted text contains is
   * never paid, even if it looks like a payment; but if the quote is a stray one, the sender has to
   * know which lines it has enclosed.
   */
  private static FeedRecord.Rejected rejected(
      RecordReader.Cut cut, String reason, String paymentId) {
    String lineNames =
        cut.line() == cut.lastLine()
            ? ""
            : "; lines %d to %d are one record because of their quotes, and none of them is paid"
                .formatted(cut.line(), cut.lastLine());
    return PaymentCheck.rejected(cut.line(), reason + lineNames, paymentId, cut.text());
  }

  private static String header(RecordReader records) throws IOException {
    RecordReader.@Nullable Cut cut = records.nextNonBlank();
    if (cut == null) {
      throw new FeedException("it is empty, without even a header row");
    }
    if (cut.flaw() != null) {
      throw new FeedException("the header row: " + cut.flaw());
    }
    if (!cut.hasLineEnd()) {
      throw new FeedException("it ends in the line of its header row, so a part of it is missing");
    }
    return cut.text();
  }

  private static InputStream uncompressed(InputStream in) throws IOException {
    PushbackInputStream begin = new PushbackInputStream(in, 2);
    byte[] magic = begin.readNBytes(2);
    begin.unread(magic);
    boolean gzip = magic.length == 2 && magic[0] == GZIP_MAGIC_1 && magic[1] == GZIP_MAGIC_2;
    return gzip ? new GzipInput(begin) : begin;
  }
}
