/**
 * Decisions about several limits in one step, and what a server needs of limits beside the API:
 * definitions by resource, names, sweeping. Not for use outside of Weir: it may change in any
 * release.
 */
@NullMarked
package dev.weir.limits.internal;

import org.jspecify.annotations.NullMarked;
