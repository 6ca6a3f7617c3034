/** The benchmark framework: load, rounds, rows and reports. */
package dev.weir.benchmarks;
