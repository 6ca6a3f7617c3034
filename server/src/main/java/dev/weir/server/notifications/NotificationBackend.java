package dev.weir.server.notifications;

import dev.weir.engine.notifications.DeferredMessages;
import dev.weir.engine.notifications.MessageLog;
import dev.weir.engine.notifications.UserLimits;
import dev.weir.notifications.Notifications;
import dev.weir.notifications.SignedRequests;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What the endpoints of notifications stand on.
 *
 * @param cancelled is told of each message that was cancelled
 * @param replay publishes the dead letters again and returns their number; empty if another replay
 *     is in progress
 * @param webhook verifies receipts of the webhook; empty if that is not the provider
 */
public record NotificationBackend(
    Notifications notifications,
    UserLimits limits,
    MessageLog messages,
    DeferredMessages deferred,
    Consumer<UUID> cancelled,
    Supplier<OptionalLong> replay,
    Optional<SignedRequests> webhook) {}
