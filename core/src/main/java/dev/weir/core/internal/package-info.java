/**
 * The unit of time that slots and limits share. Not for use outside of Weir: it may change in any
 * release.
 */
@NullMarked
package dev.weir.core.internal;

import org.jspecify.annotations.NullMarked;
