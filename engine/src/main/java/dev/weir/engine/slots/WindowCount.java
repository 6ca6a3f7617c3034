package dev.weir.engine.slots;

import java.time.Instant;

/** How many events a window holds. */
public record WindowCount(Instant start, int taken) {}
