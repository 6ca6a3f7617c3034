/**
 * Settings, opened parts and running servers: the only package that depends on the stores.
 *
 * <p>Start with {@link dev.weir.server.wiring.Node}.
 */
@NullMarked
package dev.weir.server.wiring;

import org.jspecify.annotations.NullMarked;
