/** Providers that transmit messages: the log, a webhook, SMPP. */
@NullMarked
package dev.weir.notifications.provider;

import org.jspecify.annotations.NullMarked;
