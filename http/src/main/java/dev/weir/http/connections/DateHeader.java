package dev.weir.http.connections;

import io.netty.util.AsciiString;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The current time as a {@code Date} header, formatted once a second. Thread-safe. */
public final class DateHeader {
  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
          .withZone(ZoneOffset.UTC);
  private static final long MILLIS_OF_A_SECOND = 1_000;

  private final InstantSource clock;
  private volatile Written last = new Written(Long.MIN_VALUE, AsciiString.EMPTY_STRING);

  private record Written(long second, AsciiString text) {}

  public DateHeader(InstantSource clock) {
    this.clock = clock;
  }

  public AsciiString now() {
    long second = clock.millis() / MILLIS_OF_A_SECOND;
    Written known = last;
    if (known.second() != second) {
      known = new Written(second, new AsciiString(FORMAT.format(clock.instant())));
      last = known;
    }
    return known.text();
  }
}
