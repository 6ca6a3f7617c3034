/** The faults, one class for each kind. */
@NullMarked
package dev.weir.torture.faults;

import org.jspecify.annotations.NullMarked;
