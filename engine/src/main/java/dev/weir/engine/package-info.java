/** Runs the pure core on a store and a clock. */
package dev.weir.engine;
