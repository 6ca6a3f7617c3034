/** A Kafka broker in this process, for a program that is started without one. */
@NullMarked
package dev.weir.notifications.broker;

import org.jspecify.annotations.NullMarked;
