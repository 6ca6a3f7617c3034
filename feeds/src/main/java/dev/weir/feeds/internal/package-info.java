/**
 * Feeds of any kind, cut into records and fields: lines, or comma-separated values. Not for use
 * outside of Weir: it may change in any release.
 */
@NullMarked
package dev.weir.feeds.internal;

import org.jspecify.annotations.NullMarked;
