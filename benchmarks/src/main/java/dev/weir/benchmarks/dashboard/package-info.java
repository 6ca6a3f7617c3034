/**
 * The dashboard in a browser: how smoothly it is drawn under load, and what its first load costs.
 */
@NullMarked
package dev.weir.benchmarks.dashboard;

import org.jspecify.annotations.NullMarked;
