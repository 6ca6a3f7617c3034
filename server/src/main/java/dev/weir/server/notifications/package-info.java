/** Rate-limited messages over HTTP: the limits of users, sending, and what became of messages. */
@NullMarked
package dev.weir.server.notifications;

import org.jspecify.annotations.NullMarked;
