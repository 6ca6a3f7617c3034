/** The entry points for proxies, each measured against a minimal implementation. */
package dev.weir.benchmarks.gateway;
