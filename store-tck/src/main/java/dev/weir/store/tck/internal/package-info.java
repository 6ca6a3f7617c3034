/** What the claims of this kit share. Not for use outside of Weir: it may change in any release. */
@NullMarked
package dev.weir.store.tck.internal;

import org.jspecify.annotations.NullMarked;
