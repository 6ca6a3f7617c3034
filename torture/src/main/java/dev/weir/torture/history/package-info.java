/** What was asked and answered, when, and what went wrong meanwhile. */
@NullMarked
package dev.weir.torture.history;

import org.jspecify.annotations.NullMarked;
