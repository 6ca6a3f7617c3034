/** The benchmark framework: load, rounds, rows, reports and the command line. */
package dev.weir.benchmarks;
