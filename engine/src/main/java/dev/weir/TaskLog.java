package dev.weir;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Receives the messages of periodic work, such as the upkeep of slots. An outage is reported once
 * when it begins and once when it ends.
 */
public record TaskLog(
    Consumer<String> info, Consumer<String> warn, BiConsumer<String, Throwable> error) {}
