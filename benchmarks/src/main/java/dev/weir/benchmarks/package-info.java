/** The benchmarks' frame: load, rounds, rows, reports and the command line. */
package dev.weir.benchmarks;
