package dev.weir.slots;

/** The times at which a configuration is open, so that events may run. */
public sealed interface Calendar permits Calendar.Always, OpeningHours {
  /** A calendar that is always open. */
  Calendar ALWAYS = new Always();

  /** A calendar that is always open. */
  record Always() implements Calendar {}
}
