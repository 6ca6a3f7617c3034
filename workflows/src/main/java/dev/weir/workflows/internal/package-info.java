/**
 * What paced starts and payments share. Not for use outside of Weir: it may change in any release.
 */
@NullMarked
package dev.weir.workflows.internal;

import org.jspecify.annotations.NullMarked;
