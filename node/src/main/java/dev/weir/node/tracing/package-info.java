/** Spans of requests and of ledger calls, exported by OpenTelemetry. */
@NullMarked
package dev.weir.node.tracing;

import org.jspecify.annotations.NullMarked;
