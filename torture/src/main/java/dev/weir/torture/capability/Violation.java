package dev.weir.torture.capability;

import dev.weir.torture.history.Exchange;
import java.util.List;

/**
 * A promise that was broken.
 *
 * @param witness the few exchanges that contradict each other, possibly none if a store does
 */
public record Violation(Promise promise, String text, List<Exchange> witness) {}
