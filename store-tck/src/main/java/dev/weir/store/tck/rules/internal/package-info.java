/**
 * Claims about routes and about notations of rules. Not for use outside of Weir: it may change in
 * any release.
 */
@NullMarked
package dev.weir.store.tck.rules.internal;

import org.jspecify.annotations.NullMarked;
