/**
 * Decisions about several limits in one step. Not for use outside of Weir: it may change in any
 * release.
 */
@NullMarked
package dev.weir.core.limits.internal;

import org.jspecify.annotations.NullMarked;
