/**
 * What is learned from attempts to send: events on a topic, an indexer that writes them to
 * OpenSearch, and questions about them. Nothing here is on the path of a message.
 */
@NullMarked
package dev.weir.notifications.analytics;

import org.jspecify.annotations.NullMarked;
