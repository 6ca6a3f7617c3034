package dev.weir.slots;

import java.time.Instant;

/** One version of a configuration. Versions are immutable; a change creates the next one. */
public record SlotConfig(String name, int version, SlotPolicy policy, Instant createdAt) {}
