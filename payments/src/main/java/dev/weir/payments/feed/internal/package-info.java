/**
 * Feeds of payments: reading, checking and making them. Not for use outside of Weir: it may change
 * in any release.
 */
@NullMarked
package dev.weir.payments.feed.internal;

import org.jspecify.annotations.NullMarked;
