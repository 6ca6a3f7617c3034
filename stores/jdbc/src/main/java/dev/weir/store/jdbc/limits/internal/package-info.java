/**
 * What a server keeps about limits in PostgreSQL or Oracle beside their usage. Not for use outside
 * of Weir: it may change in any release.
 */
@NullMarked
package dev.weir.store.jdbc.limits.internal;

import org.jspecify.annotations.NullMarked;
