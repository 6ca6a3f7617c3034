/**
 * Meters of Micrometer for limits, rules and slots. Each class observes one kind of part and
 * registers its meters, whose names begin with {@code weir.}, in the registry of a service.
 *
 * <p>Start with {@link dev.weir.micrometer.LimitMeters}.
 */
@NullMarked
package dev.weir.micrometer;

import org.jspecify.annotations.NullMarked;
