package dev.weir.slots;

/**
 * The times at which a configuration is open: a function from a time to the spans in which events
 * may run.
 */
public sealed interface Calendar permits Calendar.Always, OpeningHours {
  /** A time later than every time that can be assigned. */
  long NEVER = Long.MAX_VALUE;

  Calendar ALWAYS = new Always();

  /** Returns the first open span that ends after {@code micros}; it may have begun earlier. */
  Span openAt(long micros);

  /** A span of time from {@code fromMicros}, inclusive, to {@code untilMicros}, exclusive. */
  record Span(long fromMicros, long untilMicros) {
    /** All of time. */
    public static final Span ALL = new Span(Long.MIN_VALUE, NEVER);

    /** An empty span. */
    public static final Span NONE = new Span(NEVER, NEVER);

    public boolean isEmpty() {
      return fromMicros >= untilMicros;
    }
  }

  /** A calendar that is always open. */
  record Always() implements Calendar {
    @Override
    public Span openAt(long micros) {
      return Span.ALL;
    }
  }
}
