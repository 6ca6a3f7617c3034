/** What a request did and how long it took, told to OpenTelemetry. */
package dev.weir.server.tracing;
