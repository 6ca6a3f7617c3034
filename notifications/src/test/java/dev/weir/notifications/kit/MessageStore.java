package dev.weir.notifications.kit;

import dev.weir.notifications.messages.DeferredMessages;
import dev.weir.notifications.messages.MessageLog;
import dev.weir.notifications.messages.SendLedger;
import dev.weir.notifications.messages.UserLimits;

/** What a node has of a store of messages. */
public record MessageStore(
    UserLimits limits, SendLedger ledger, MessageLog log, DeferredMessages deferred) {}
