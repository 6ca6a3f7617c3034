/**
 * Claims about the definitions that only a server stores. Not for use outside of Weir: it may
 * change in any release.
 */
@NullMarked
package dev.weir.store.tck.limits.internal;

import org.jspecify.annotations.NullMarked;
