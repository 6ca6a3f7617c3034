/** The limits benchmarks: Weir's stores against the libraries that are their alternatives. */
package dev.weir.benchmarks.limits;
