/** Counts of messages in Redis or Valkey, in front of the database. */
@NullMarked
package dev.weir.notifications.redis;

import org.jspecify.annotations.NullMarked;
