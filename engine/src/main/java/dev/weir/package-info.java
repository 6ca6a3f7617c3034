/** Flow control: when may this proceed? What limits, slots and rules have in common. */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;
