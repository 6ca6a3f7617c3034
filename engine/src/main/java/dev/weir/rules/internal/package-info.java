/**
 * The index of rules and routes by path. Not for use outside of Weir: it may change in any release.
 */
@NullMarked
package dev.weir.rules.internal;

import org.jspecify.annotations.NullMarked;
