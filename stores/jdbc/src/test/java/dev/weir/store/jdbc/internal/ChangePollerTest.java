package dev.weir.store.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.SlotPolicy;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.OracleDatabase;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.jdbc.slots.internal.JdbcSlotConfigs;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class ChangePollerTest {
  private final OracleDatabase database = OracleDatabase.get();
  private final List<Channel> heard = new ArrayList<>();
  private final ChangePoller poller =
      new ChangePoller(
          database.pool(),
          Map.of(
              Channel.SLOT_CONFIG, listener(Channel.SLOT_CONFIG),
              Channel.RULE, listener(Channel.RULE)));

  private ChangeListener.Listener listener(Channel channel) {
    return new ChangeListener.Listener() {
      @Override
      public void changed(String name) {
        throw new IllegalStateException("names are not polled");
      }

      @Override
      public void allChanged() {
        heard.add(channel);
      }
    };
  }

  @Test
  void firstLookAssumesThatEverythingHasChanged() {
    poller.look();

    assertThat(heard).containsExactlyInAnyOrder(Channel.SLOT_CONFIG, Channel.RULE);
  }

  @Test
  void looksFindWhatChangedBetweenThem() {
    poller.look();
    heard.clear();

    poller.look();
    assertThat(heard).isEmpty();

    new JdbcSlotConfigs(Dialect.ORACLE, database.otherPool(), StoreClock.DATABASE)
        .configure("c-" + UUID.randomUUID(), SlotPolicy.of(1, Duration.ofSeconds(4)));
    poller.look();
    assertThat(heard).containsExactly(Channel.SLOT_CONFIG);
  }

  @Test
  void changeIsFoundAlthoughTheDatabaseHasLostTheOneBeforeIt() {
    String counter = " from change_counter where channel = '%s'".formatted(Channel.RULE.id());
    long before = Database.number(database.pool(), "select changes" + counter);
    Channel.RULE.flushEverywhere(Dialect.ORACLE, database.otherPool());
    poller.look();
    heard.clear();
    Database.execute(
        database.pool(),
        "update change_counter set changes = %d where channel = '%s'"
            .formatted(before, Channel.RULE.id()));

    Channel.RULE.flushEverywhere(Dialect.ORACLE, database.otherPool());
    poller.look();

    assertThat(heard).containsExactly(Channel.RULE);
  }

  @Test
  void flushReachesEveryNode() {
    poller.look();
    heard.clear();

    Channel.RULE.flushEverywhere(Dialect.ORACLE, database.otherPool());
    poller.look();

    assertThat(heard).containsExactly(Channel.RULE);
  }

  /** An update waits without a bound, so it must find the row locked. H2 knows no such bound. */
  @Test
  void counterIsLockedForABoundedTimeBeforeItIsChanged() throws SQLException {
    List<String> statements = new ArrayList<>();
    try (Connection connection = database.pool().getConnection()) {
      Connection watched =
          (Connection)
              Proxy.newProxyInstance(
                  ChangePollerTest.class.getClassLoader(),
                  new Class<?>[] {Connection.class},
                  (self, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                      statements.add((String) arguments[0]);
                    }
                    return method.invoke(connection, arguments);
                  });

      Channel.RULE.send(Dialect.ORACLE, watched, Channel.ALL);
    }

    assertThat(statements).hasSize(2);
    assertThat(statements.getFirst()).endsWith("for update wait 10");
    assertThat(statements.getLast()).startsWith("update change_counter");
  }
}
