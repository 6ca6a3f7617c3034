package dev.weir.server.slots;

import java.time.Duration;

/** The time after which a slot that is due and not confirmed counts as leaked. */
public record LeakGrace(Duration value) {}
