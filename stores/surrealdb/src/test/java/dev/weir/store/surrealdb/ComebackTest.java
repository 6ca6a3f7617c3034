package dev.weir.store.surrealdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.limits.LeaseStore;
import dev.weir.limits.Limit;
import dev.weir.limits.LimitStore;
import dev.weir.limits.Policy;
import dev.weir.limits.StoreHistory;
import dev.weir.limits.TokenBucket;
import dev.weir.store.tck.internal.LossyRelay;
import dev.weir.store.tck.internal.SurrealServer;
import dev.weir.store.tck.limits.ComebackKit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A SurrealDB that is killed and comes back, with its data or without. */
@RequiresSurrealDb
final class ComebackTest implements ComebackKit {
  private static final Policy TEN = Policy.of("ten", TokenBucket.of(10, DAY.multipliedBy(100)));

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private RememberedUse history = new RememberedUse();
  private SurrealServer server;
  private SurrealDb database;

  /** A history that outlives the nodes of a test. */
  private static final class RememberedUse implements StoreHistory {
    private boolean isUsed;
    private boolean losesAnswer;

    @Override
    public synchronized void prepare(String store, Step step) {
      step.prepare(new Past(!isUsed, Optional.empty()));
      isUsed = true;
      if (losesAnswer) {
        losesAnswer = false;
        throw new IllegalStateException("no answer");
      }
    }

    @Override
    public void saw(String store, Mark mark) {}
  }

  @BeforeEach
  void start() {
    start(SurrealServer.Storage.MEMORY);
  }

  private void start(SurrealServer.Storage storage) {
    server = opened(SurrealServer.start(storage));
    history = new RememberedUse();
    database = open(history);
  }

  /** The only claim that needs data on a disk, whose engine takes longer to start. */
  @Override
  @Test
  @SuppressWarnings("JUnitMethodInvoked")
  public void storeThatComesBackUnchangedContinues() {
    start(SurrealServer.Storage.ROCKSDB);
    ComebackKit.super.storeThatComesBackUnchangedContinues();
  }

  @AfterEach
  void stop() throws Exception {
    while (!opened.isEmpty()) {
      opened.pop().close();
    }
  }

  private <T extends AutoCloseable> T opened(T part) {
    opened.push(part);
    return part;
  }

  private SurrealDb open(StoreHistory known) {
    return opened(SurrealDb.open(Clients.settings(server.port()), known));
  }

  @Override
  public List<Class<? extends Limit>> kinds() {
    return List.of(TokenBucket.class);
  }

  @Override
  public LimitStore limits() {
    return new SurrealDbLimitStore(database);
  }

  @Override
  public LeaseStore leases() {
    return new SurrealDbLeaseStore(database);
  }

  @Override
  public LimitStore limitsOfNewNode() {
    return new SurrealDbLimitStore(open(history));
  }

  @Override
  public void comeBackUnchanged() {
    server.kill();
    server.restart();
    awaitAnswer();
  }

  @Override
  public void comeBackEmpty() {
    // Something was kept, or there would be nothing to lose.
    limits().take(TEN, "any", 1);
    server.kill();
    server.restartEmpty();
    awaitAnswer();
  }

  private void awaitAnswer() {
    Eventually.answer(() -> limits().usage(TEN, "warm"));
  }

  private static int granted(LimitStore store, int attempts) {
    int granted = 0;
    for (int i = 0; i < attempts; i++) {
      granted += store.take(TEN, "k", 1) ? 1 : 0;
    }
    return granted;
  }

  @Test
  void nodeThatStartsAfterTheLossLearnsOfItFromItsHistory() {
    assertThat(granted(limits(), 4)).isEqualTo(4);
    server.kill();
    server.restartEmpty();
    // The only node that has seen it filled is gone as well.
    assertThat(Eventually.answer(() -> granted(limitsOfNewNode(), 20))).isZero();
  }

  @Test
  void withoutAHistoryANewNodeTakesAnEmptyDatabaseForANewOne() {
    assertThat(granted(limits(), 4)).isEqualTo(4);
    server.kill();
    server.restartEmpty();
    LimitStore other = new SurrealDbLimitStore(open(StoreHistory.NONE));
    assertThat(Eventually.answer(() -> granted(other, 20))).isEqualTo(10);
  }

  @Test
  void firstUseRefusesNothingOnTwoNodes() {
    LimitStore other = limitsOfNewNode();
    assertThat(granted(limits(), 5) + granted(other, 20)).isEqualTo(10);
  }

  @Test
  void lossAfterALostAnswerToTheFirstUseIsNoticed() throws Exception {
    LossyRelay relay = opened(new LossyRelay(server.port()));
    LimitStore first =
        new SurrealDbLimitStore(opened(SurrealDb.open(Clients.settings(relay.port()), history)));
    relay.loseAnswerTo("CREATE weir_store:marker");
    assertThat(Eventually.answer(() -> granted(first, 4))).isEqualTo(4);
    assertThat(relay.lost()).isOne();
    server.kill();
    server.restartEmpty();
    assertThat(Eventually.answer(() -> granted(limitsOfNewNode(), 20))).isZero();
  }

  @Test
  void firstUseWhoseRecordIsNotAnsweredRefusesNothing() {
    history.losesAnswer = true;
    LimitStore first = limits();
    assertThatThrownBy(() -> granted(first, 1)).hasMessage("no answer");
    assertThat(granted(limitsOfNewNode(), 4) + granted(first, 20)).isEqualTo(10);
  }

  @Test
  void fieldsOfThisVersionAreAddedToADatabaseOfAnEarlierOne() {
    assertThat(granted(limits(), 4)).isEqualTo(4);
    database.run(
        new Query(
            "RETURN { REMOVE FIELD counted_by ON token_bucket; "
                + "UPDATE weir_store:marker SET schema = NONE; };",
            Map.of()));
    assertThat(granted(limitsOfNewNode(), 20)).isEqualTo(6);
  }
}
