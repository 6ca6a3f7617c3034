/** Rate-limited messages in PostgreSQL: limits of users, the outbox, the log of messages. */
@NullMarked
package dev.weir.notifications.jdbc;

import org.jspecify.annotations.NullMarked;
