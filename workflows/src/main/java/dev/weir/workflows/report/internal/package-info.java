/**
 * The report about the calls of a downstream, as a chart and as text. Not for use outside of Weir:
 * it may change in any release.
 */
@NullMarked
package dev.weir.workflows.report.internal;

import org.jspecify.annotations.NullMarked;
