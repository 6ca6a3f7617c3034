package dev.weir.slots;

import java.time.Instant;

/** The number of events in a window. */
public record WindowCount(Instant start, int taken) {}
