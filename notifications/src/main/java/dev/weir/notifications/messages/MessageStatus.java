package dev.weir.notifications.messages;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * What became of a message; what {@link MessageRecord} says, without the text.
 *
 * @param parts the number of parts into which it is divided for transmission
 * @param changedAt when the state was reached
 * @param dueAt when a deferred message is to be sent
 * @param reason why it failed
 */
public record MessageStatus(
    UUID id,
    long userId,
    int parts,
    MessageState state,
    Instant createdAt,
    Instant changedAt,
    Optional<Instant> dueAt,
    Optional<String> reason) {}
