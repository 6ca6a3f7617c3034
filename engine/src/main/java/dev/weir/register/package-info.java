/**
 * Versioned entries, such as rules and routes: stored under an id, and changed only by a caller
 * that knows the version in force.
 *
 * <p>Start with {@link dev.weir.register.Register}.
 */
@NullMarked
package dev.weir.register;

import org.jspecify.annotations.NullMarked;
