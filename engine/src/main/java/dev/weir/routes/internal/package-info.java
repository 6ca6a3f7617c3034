/** Routes of the gateway. Not for use outside of Weir: it may change in any release. */
@NullMarked
package dev.weir.routes.internal;

import org.jspecify.annotations.NullMarked;
