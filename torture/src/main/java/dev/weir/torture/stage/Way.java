package dev.weir.torture.stage;

import dev.weir.server.faults.Relay;

/**
 * A way that connections take.
 *
 * @param name by what is at its ends
 */
public record Way(String name, Relay relay) {}
