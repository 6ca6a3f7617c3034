/** Claims about stores of rate-limited messages. */
@NullMarked
package dev.weir.store.tck.notifications;

import org.jspecify.annotations.NullMarked;
