package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.slots.AssignRequest;
import dev.weir.slots.Slot;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotObserver;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.tck.internal.Await;
import dev.weir.store.tck.slots.Node;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A database that is replaced by a backup of it while nodes run. What was committed after the
 * backup never happened, as on a standby that takes over too early, and the same version numbers
 * are given again.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RestoredDatabaseTest {
  private static final String NAME = "c";
  private static final SlotPolicy TEN = policy(10);
  private static final SlotPolicy HUNDRED = policy(100);
  private static final SlotPolicy THREE = policy(3);

  private final String url = Database.get().createMigrated();
  private final String database = url.replaceFirst(".*/(weir_\\w+)\\?.*", "$1");
  private final HikariDataSource pool = Database.openPool(url);
  private final Node node = node();

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void limitOfALostVersionIsNotUsed() {
    assign(node.configs().configure(NAME, TEN), "first", 1);
    backUp();
    SlotConfig lost = node.configs().configure(NAME, HUNDRED);
    assign(lost, "first", 1);

    restore();

    assertThat(node.configs().configure(NAME, THREE).version()).isEqualTo(lost.version());
    assertThat(eventsByWindow(assign(lost, "later", 60))).allMatch(events -> events <= 3);
  }

  @Test
  void pauseAfterARestoreIsKeptByNodesThatKnowALostVersion() {
    assign(node.configs().configure(NAME, TEN), "first", 1);
    backUp();
    SlotConfig lost = node.configs().configure(NAME, HUNDRED);
    assign(lost, "first", 1);

    restore();

    Instant end = Account.NOON.plus(Duration.ofHours(1));
    SlotConfig paused = node.configs().configure(NAME, TEN.withPausedUntil(end));
    assertThat(paused.version()).isEqualTo(lost.version());
    assertThat(assign(lost, "later", 60)).noneMatch(slot -> slot.scheduledTime().isBefore(end));
  }

  @Test
  void nodeWithoutAViewDoesNotUseALostVersionEither() {
    node.configs().configure(NAME, TEN);
    backUp();
    SlotConfig lost = node.configs().configure(NAME, HUNDRED);

    restore();

    node.configs().configure(NAME, THREE);
    assertThat(eventsByWindow(assign(lost, "later", 60))).allMatch(events -> events <= 3);
  }

  @Test
  void configurationThatWasLostIsNotTakenForTheOneOfItsName() {
    SlotConfig other = node.configs().configure("other", TEN);
    node.ledger()
        .assign(List.of(new AssignRequest(new SlotRequest("a", "other", Account.NOON), other)));
    backUp();
    SlotConfig lost = node.configs().configure(NAME, HUNDRED);
    // The event has a slot already: nothing is written, and this node has a view.
    assertThat(node.ledger().assign(List.of(request(lost, "a", Account.NOON)))).hasSize(1);

    restore();

    node.configs().configure(NAME, THREE);
    assertThat(eventsByWindow(assign(lost, "later", 60))).allMatch(events -> events <= 3);
  }

  @Test
  void windowsOfThePastThatWereCountedAfterTheBackupAreCountedAgain() {
    SlotConfig config = node.configs().configure(NAME, TEN);
    assign(config, "first", 5);
    SlotConfig next = node.configs().configure(NAME, THREE);
    backUp();
    // Counts the windows before the change, in which there are five events of ten.
    assign(next, "lost", 1);

    restore();

    assign(next, "again", 1);
    assertThat(eventsByWindow(assign(next, "later", 20))).allMatch(events -> events <= 3);
    Node other = node();
    assertThat(eventsByWindow(other, next, "other", 20)).allMatch(events -> events <= 3);
  }

  private static SlotPolicy policy(int maxPerWindow) {
    return SlotPolicy.of(maxPerWindow, Duration.ofSeconds(4));
  }

  private Node node() {
    return Database.node(pool, StoreClock.DATABASE, SlotObserver.NONE);
  }

  private static AssignRequest request(SlotConfig config, String event, Instant time) {
    return new AssignRequest(new SlotRequest(event, NAME, time), config);
  }

  /**
   * Requests slots at noon.
   *
   * @param cached the version that the node believes to be in force
   */
  private List<Slot> assign(SlotConfig cached, String prefix, int events) {
    return assign(node, cached, prefix, events);
  }

  private static List<Slot> assign(Node node, SlotConfig cached, String prefix, int events) {
    return node
        .ledger()
        .assign(
            IntStream.range(0, events)
                .mapToObj(i -> request(cached, prefix + i, Account.NOON))
                .toList())
        .stream()
        .map(Account::slot)
        .toList();
  }

  private static Collection<Long> eventsByWindow(
      Node node, SlotConfig cached, String prefix, int events) {
    return eventsByWindow(assign(node, cached, prefix, events));
  }

  private static Collection<Long> eventsByWindow(List<Slot> slots) {
    return slots.stream()
        .collect(Collectors.groupingBy(Slot::windowStart, Collectors.counting()))
        .values();
  }

  private void backUp() {
    disconnect();
    Database.get()
        .executeAlone("create database %s_backup template %s".formatted(database, database));
    connectAgain();
  }

  private void restore() {
    disconnect();
    Database.get().executeAlone("drop database " + database);
    Database.get()
        .executeAlone("create database %s template %s_backup".formatted(database, database));
    connectAgain();
  }

  /** A database can be copied only while nobody uses it. */
  private void disconnect() {
    Database.execute(
        Database.get().pool(), "alter database %s allow_connections false".formatted(database));
    Database.execute(
        Database.get().pool(),
        "select pg_terminate_backend(pid, 120000) from pg_stat_activity where datname = '%s'"
            .formatted(database));
  }

  /** Returns when the node's pool has noticed that the database is back. */
  private void connectAgain() {
    Database.execute(
        Database.get().pool(), "alter database %s allow_connections true".formatted(database));
    Instant unused = Await.answer(() -> node.ledger().now());
  }
}
