/**
 * Parts of requests that rules look at. Not for use outside of Weir: it may change in any release.
 */
@NullMarked
package dev.weir.rules.matching.internal;

import org.jspecify.annotations.NullMarked;
