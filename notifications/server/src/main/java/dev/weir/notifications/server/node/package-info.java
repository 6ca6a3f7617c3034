/** Messages on a node: their settings and stores, Kafka, the sender, its providers, analytics. */
@NullMarked
package dev.weir.notifications.server.node;

import org.jspecify.annotations.NullMarked;
