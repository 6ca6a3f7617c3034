package dev.weir.core.slots;

/** When a configuration is open: a function from time to the spans in which events may run. */
public sealed interface Calendar permits Calendar.Always, OpeningHours {
  /** Later than every time that can be given. */
  long NEVER = Long.MAX_VALUE;

  Calendar ALWAYS = new Always();

  /** The first open span that ends after {@code micros}; it may have begun before. */
  Span openAt(long micros);

  /** An open span of time, its end not included. */
  record Span(long fromMicros, long untilMicros) {
    static final Span ALL = new Span(Long.MIN_VALUE, NEVER);
    static final Span NONE = new Span(NEVER, NEVER);

    boolean isEmpty() {
      return fromMicros >= untilMicros;
    }
  }

  /** Open at all times. */
  record Always() implements Calendar {
    @Override
    public Span openAt(long micros) {
      return Span.ALL;
    }
  }
}
