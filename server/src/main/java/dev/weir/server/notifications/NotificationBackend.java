package dev.weir.server.notifications;

import dev.weir.engine.notifications.DeferredMessages;
import dev.weir.engine.notifications.MessageLog;
import dev.weir.engine.notifications.UserLimits;
import dev.weir.notifications.Notifications;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What the endpoints of notifications stand on.
 *
 * @param cancelled is told of each message that was cancelled
 * @param replay publishes the dead letters again and returns their number
 */
public record NotificationBackend(
    Notifications notifications,
    UserLimits limits,
    MessageLog messages,
    DeferredMessages deferred,
    Consumer<UUID> cancelled,
    LongSupplier replay) {}
