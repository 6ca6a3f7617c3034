/** The command line of the benchmarks. */
package dev.weir.benchmarks.cli;
