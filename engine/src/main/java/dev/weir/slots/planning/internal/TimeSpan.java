package dev.weir.slots.planning.internal;

/** A span of time from {@code fromMicros}, inclusive, to {@code untilMicros}, exclusive. */
public record TimeSpan(long fromMicros, long untilMicros) {
  /** A time later than every time that can be assigned. */
  public static final long NEVER = Long.MAX_VALUE;

  /** All of time. */
  public static final TimeSpan ALL = new TimeSpan(Long.MIN_VALUE, NEVER);

  /** An empty span. */
  public static final TimeSpan NONE = new TimeSpan(NEVER, NEVER);

  public boolean isEmpty() {
    return fromMicros >= untilMicros;
  }
}
