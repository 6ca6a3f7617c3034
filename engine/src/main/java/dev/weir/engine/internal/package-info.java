/**
 * What the engine and the stores share: batching, caching, periodic work. Not for use outside of
 * Weir: it may change in any release.
 */
@NullMarked
package dev.weir.engine.internal;

import org.jspecify.annotations.NullMarked;
