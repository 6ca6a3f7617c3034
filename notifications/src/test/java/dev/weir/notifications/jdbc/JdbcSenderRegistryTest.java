package dev.weir.notifications.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.Micros;
import dev.weir.notifications.messages.SenderRegistry;
import dev.weir.store.jdbc.Database;
import dev.weir.store.tck.SettableClock;
import dev.weir.store.tck.slots.Scene;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class JdbcSenderRegistryTest {
  private static final Duration TTL = Duration.ofSeconds(30);

  private final SettableClock clock = new SettableClock(Scene.NOON);
  private final SenderRegistry registry =
      new JdbcSenderRegistry(Database.get().pool(), databaseMicros -> Micros.ceil(clock.instant()));
  private final UUID first = UUID.randomUUID();
  private final UUID second = UUID.randomUUID();

  @BeforeEach
  void clear() {
    Database.execute(Database.get().pool(), "delete from notification_sender");
  }

  @Test
  void sendersWithTheSameProviderJoin() {
    assertThat(registry.join(first, "webhook a", TTL)).isEmpty();
    assertThat(registry.join(second, "webhook a", TTL)).isEmpty();
    assertThat(registry.join(first, "webhook a", TTL)).isEmpty();
  }

  @Test
  void senderWithAnotherProviderIsRefusedUntilTheOthersHaveLeft() {
    assertThat(registry.join(first, "webhook a", TTL)).isEmpty();
    assertThat(registry.join(second, "log", TTL)).contains("webhook a");
    // The one that was refused does not keep the other out.
    assertThat(registry.join(first, "webhook a", TTL)).isEmpty();

    registry.leave(first);

    assertThat(registry.join(second, "log", TTL)).isEmpty();
    assertThat(registry.join(first, "webhook a", TTL)).contains("log");
  }

  @Test
  void senderThatHasNotBeenSeenForTheTimeHasGone() {
    assertThat(registry.join(first, "webhook a", TTL)).isEmpty();
    clock.move(TTL);
    assertThat(registry.join(second, "log", TTL)).contains("webhook a");
    clock.move(Duration.ofSeconds(1));
    assertThat(registry.join(second, "log", TTL)).isEmpty();
  }
}
