/** The ways in for proxies, measured against the least that each could be. */
package dev.weir.benchmarks.gateway;
