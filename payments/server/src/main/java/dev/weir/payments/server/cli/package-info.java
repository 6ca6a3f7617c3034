/** The commands for payments: making those of a feed, reports, and a payment API to try them on. */
@NullMarked
package dev.weir.payments.server.cli;

import org.jspecify.annotations.NullMarked;
