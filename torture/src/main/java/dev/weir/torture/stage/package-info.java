/** The processes that are tortured, and the ways between them. */
@NullMarked
package dev.weir.torture.stage;

import org.jspecify.annotations.NullMarked;
