/**
 * Starts and stops a node with the capabilities that are there.
 *
 * <p>Start with {@link dev.weir.node.wiring.Node}.
 */
@NullMarked
package dev.weir.node.wiring;

import org.jspecify.annotations.NullMarked;
