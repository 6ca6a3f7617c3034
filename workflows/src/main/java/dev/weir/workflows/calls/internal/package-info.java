/**
 * The calls that a downstream API received: their record, and how many fell into each second. Not
 * for use outside of Weir: it may change in any release.
 */
@NullMarked
package dev.weir.workflows.calls.internal;

import org.jspecify.annotations.NullMarked;
