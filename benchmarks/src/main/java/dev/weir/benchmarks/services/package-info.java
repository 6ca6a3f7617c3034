/** Weir as a service against other rate limit services, each in a separate process. */
package dev.weir.benchmarks.services;
