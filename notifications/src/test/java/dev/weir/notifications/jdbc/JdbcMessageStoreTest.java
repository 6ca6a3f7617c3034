package dev.weir.notifications.jdbc;

import dev.weir.internal.Micros;
import dev.weir.notifications.kit.MessageStore;
import dev.weir.notifications.kit.MessageStoreKit;
import dev.weir.notifications.kit.MessageTrace;
import dev.weir.notifications.kit.MessageTraces;
import dev.weir.notifications.messages.DeferredMessages;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * Runs the kit on messages in PostgreSQL: nodes with separate pools on one database. It plays as
 * many traces as {@code jqwik.tries.default}.
 */
final class JdbcMessageStoreTest implements MessageStoreKit {
  /** However busy the machine is, callers wait in turn. */
  private static final Duration MAX_WAIT = Database.MAX_WAIT;

  @Override
  public Supplier<MessageStore> messagesBy(InstantSource clock) {
    Database database = Database.get();
    Tables.empty(database.pool());
    StoreClock time = databaseMicros -> Micros.ceil(clock.instant());
    AtomicInteger opened = new AtomicInteger();
    return () ->
        store(opened.getAndIncrement() % 2 == 0 ? database.pool() : database.otherPool(), time);
  }

  @Override
  @Property(seed = "20260613", edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
  public void sendsAsTheModelDoes(@ForAll(supplier = MessageTraces.class) MessageTrace trace) {
    MessageStoreKit.super.sendsAsTheModelDoes(trace);
  }

  private static MessageStore store(DataSource connections, StoreClock time) {
    return new MessageStore(
        new JdbcUserLimits(connections, time),
        new JdbcSendLedger(connections, time, MAX_WAIT),
        new JdbcMessageLog(connections, time),
        new JdbcDeferredMessages(
            connections, time, DeferredMessages.DEFAULT_MAX_PER_USER, MAX_WAIT));
  }
}
