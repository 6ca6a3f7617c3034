/** Literal addresses of clients. Not for use outside of Weir: it may change in any release. */
@NullMarked
package dev.weir.address.internal;

import org.jspecify.annotations.NullMarked;
