/**
 * The unit of time and the checks of texts that the modules share. Not for use outside of Weir: it
 * may change in any release.
 */
@NullMarked
package dev.weir.core.internal;

import org.jspecify.annotations.NullMarked;
