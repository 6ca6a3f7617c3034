/**
 * A simulator of the payment API downstream, which counts, refuses and fails. Not for use outside
 * of Weir: it may change in any release.
 */
@NullMarked
package dev.weir.workflows.downstream.internal;

import org.jspecify.annotations.NullMarked;
