/** Claims that every store of rules or routes must satisfy. */
@NullMarked
package dev.weir.store.tck.rules;

import org.jspecify.annotations.NullMarked;
