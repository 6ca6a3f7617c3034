package dev.weir.server.slots;

/** The name of the configuration that applies to requests without one. */
public record DefaultConfig(String name) {}
