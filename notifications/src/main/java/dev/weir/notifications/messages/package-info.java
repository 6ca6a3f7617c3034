/**
 * Rate-limited messages: a limit for each user, the places that messages take, and what became of
 * each message. The values, and what stores of them implement.
 */
@NullMarked
package dev.weir.notifications.messages;

import org.jspecify.annotations.NullMarked;
