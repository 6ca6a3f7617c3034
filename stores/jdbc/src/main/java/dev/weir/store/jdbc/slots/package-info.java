/** Slots and slot configurations in PostgreSQL. */
@NullMarked
package dev.weir.store.jdbc.slots;

import org.jspecify.annotations.NullMarked;
