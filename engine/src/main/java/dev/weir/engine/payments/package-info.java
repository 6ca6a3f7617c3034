/**
 * Payments that arrive in feeds and run at the times of their slots: the values, and the port that
 * stores implement. The workflows are in {@code dev.weir.workflows}.
 */
@NullMarked
package dev.weir.engine.payments;

import org.jspecify.annotations.NullMarked;
