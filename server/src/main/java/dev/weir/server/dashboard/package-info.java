/** The page of operators: its files, what happens now, refusals, and sample data. */
@NullMarked
package dev.weir.server.dashboard;

import org.jspecify.annotations.NullMarked;
