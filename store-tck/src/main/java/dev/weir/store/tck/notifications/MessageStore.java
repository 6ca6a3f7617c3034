package dev.weir.store.tck.notifications;

import dev.weir.engine.notifications.DeferredMessages;
import dev.weir.engine.notifications.MessageLog;
import dev.weir.engine.notifications.SendLedger;
import dev.weir.engine.notifications.UserLimits;

/** What a node has of a store of messages. */
public record MessageStore(
    UserLimits limits, SendLedger ledger, MessageLog log, DeferredMessages deferred) {}
