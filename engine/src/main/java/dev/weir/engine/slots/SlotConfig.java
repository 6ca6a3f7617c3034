package dev.weir.engine.slots;

import dev.weir.core.slots.Terms;
import java.time.Instant;

/** One version of a configuration. Versions are never changed; a change makes the next one. */
public record SlotConfig(String name, int version, Terms terms, Instant createdAt) {}
