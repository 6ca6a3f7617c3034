/** The commands for messages. */
@NullMarked
package dev.weir.notifications.server.cli;

import org.jspecify.annotations.NullMarked;
