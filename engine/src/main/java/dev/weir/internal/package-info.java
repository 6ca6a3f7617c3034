/**
 * What all of Weir shares: the unit of time, checks of texts, batching, caching, periodic work. Not
 * for use outside of Weir: it may change in any release.
 */
@NullMarked
package dev.weir.internal;

import org.jspecify.annotations.NullMarked;
