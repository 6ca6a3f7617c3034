/**
 * The path of a message from a caller to the broker: its place in the user's limit is taken and it
 * is stored in the outbox, then it is published, and what may not have been published is published
 * again later.
 *
 * <p>{@link dev.weir.notifications.Notifications} is the entry. What is counted and stored is in
 * {@link dev.weir.notifications.messages}; {@link dev.weir.notifications.jdbc} keeps it in
 * PostgreSQL.
 */
@NullMarked
package dev.weir.notifications;

import org.jspecify.annotations.NullMarked;
