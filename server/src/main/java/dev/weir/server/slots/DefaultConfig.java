package dev.weir.server.slots;

/** The name of the configuration that is used by a request that names none. */
public record DefaultConfig(String name) {}
