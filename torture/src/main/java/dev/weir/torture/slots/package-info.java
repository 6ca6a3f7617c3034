/** Slots: a load, and a check of S1 to S6. */
@NullMarked
package dev.weir.torture.slots;

import org.jspecify.annotations.NullMarked;
