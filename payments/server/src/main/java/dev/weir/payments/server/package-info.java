/** Payments over HTTP: their feeds, what became of each, and reports about calls. */
@NullMarked
package dev.weir.payments.server;

import org.jspecify.annotations.NullMarked;
