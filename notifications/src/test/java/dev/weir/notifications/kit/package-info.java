/** Claims about stores of rate-limited messages. */
@NullMarked
package dev.weir.notifications.kit;

import org.jspecify.annotations.NullMarked;
