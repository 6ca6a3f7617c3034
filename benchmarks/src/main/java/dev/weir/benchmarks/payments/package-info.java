/** The payments benchmarks: feeds against the slots that they need, and paced starts. */
package dev.weir.benchmarks.payments;
