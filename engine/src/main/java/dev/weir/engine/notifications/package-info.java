/**
 * Rate-limited messages: a limit for each user, the places that messages take, and what became of
 * each message. The ports that stores implement; Kafka and providers are in {@code
 * dev.weir.notifications}.
 */
@NullMarked
package dev.weir.engine.notifications;

import org.jspecify.annotations.NullMarked;
