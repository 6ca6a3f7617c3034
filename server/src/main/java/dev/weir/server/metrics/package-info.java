/** What happens, as metrics and log lines. */
package dev.weir.server.metrics;
