/**
 * Hands published messages to a provider: in order for each user, many users in parallel, again
 * after a failure.
 */
@NullMarked
package dev.weir.notifications.sender;

import org.jspecify.annotations.NullMarked;
