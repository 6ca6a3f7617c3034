/** The limits benchmarks: the stores of Weir against the libraries that one would pick instead. */
package dev.weir.benchmarks.limits;
