package dev.weir.notifications.server;

import dev.weir.notifications.Notifications;
import dev.weir.notifications.Replayed;
import dev.weir.notifications.SignedRequests;
import dev.weir.notifications.messages.DeferredMessages;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.messages.UserLimits;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What the endpoints of notifications stand on.
 *
 * @param cancelled is told of each message that was cancelled
 * @param replay publishes the dead letters again and returns their numbers; empty if another replay
 *     is in progress
 * @param webhook verifies receipts of the webhook; empty if that is not the provider
 */
public record NotificationServices(
    Notifications notifications,
    UserLimits limits,
    MessageLog messages,
    DeferredMessages deferred,
    Consumer<UUID> cancelled,
    Supplier<Optional<Replayed>> replay,
    Optional<SignedRequests> webhook) {}
