/** Spans of requests and of ledger calls, exported by OpenTelemetry. */
@NullMarked
package dev.weir.server.tracing;

import org.jspecify.annotations.NullMarked;
