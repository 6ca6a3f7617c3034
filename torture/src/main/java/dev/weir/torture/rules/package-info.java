/** Rules and their queues: a load, and a check of R1 to R5. */
@NullMarked
package dev.weir.torture.rules;

import org.jspecify.annotations.NullMarked;
