/** What each capability brings: a load, its promises, and a check of them. */
@NullMarked
package dev.weir.torture.capability;

import org.jspecify.annotations.NullMarked;
