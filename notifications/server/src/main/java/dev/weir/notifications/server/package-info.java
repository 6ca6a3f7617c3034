/** Rate-limited messages over HTTP: the limits of users, sending, and what became of messages. */
@NullMarked
package dev.weir.notifications.server;

import org.jspecify.annotations.NullMarked;
