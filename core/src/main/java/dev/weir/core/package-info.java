/** The unit of time shared by slots and limits. */
@NullMarked
package dev.weir.core;

import org.jspecify.annotations.NullMarked;
