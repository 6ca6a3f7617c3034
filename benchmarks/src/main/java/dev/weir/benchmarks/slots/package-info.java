/** The slots benchmarks and the fair opponents that they are measured against. */
package dev.weir.benchmarks.slots;
