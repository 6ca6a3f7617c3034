/**
 * The path of a message from a caller to the broker: its place in the user's limit is taken and it
 * is stored in the outbox, then it is published, and what may not have been published is published
 * again later.
 *
 * <p>{@link dev.weir.notifications.Notifications} is the entry. The stores are ports of {@code
 * dev.weir.engine.notifications}.
 */
@NullMarked
package dev.weir.notifications;

import org.jspecify.annotations.NullMarked;
