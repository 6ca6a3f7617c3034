/** Weir as a service against other rate limit services, each in a process of its own. */
package dev.weir.benchmarks.services;
