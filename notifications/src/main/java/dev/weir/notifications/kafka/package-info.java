/** How Kafka is reached, and what a message looks like there. */
@NullMarked
package dev.weir.notifications.kafka;

import org.jspecify.annotations.NullMarked;
