package dev.weir.store.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.jdbc.Database;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class JdbcPartOwnershipTest {
  private final long lock = ThreadLocalRandom.current().nextLong();
  private final String part = UUID.randomUUID().toString();
  private final JdbcPartOwnership first = ownership(Database.get().pool(), "first");
  private final JdbcPartOwnership second = ownership(Database.get().otherPool(), "second");

  private JdbcPartOwnership ownership(DataSource database, String node) {
    return new JdbcPartOwnership(database, lock, part, node);
  }

  @AfterEach
  void close() {
    first.close();
    second.close();
  }

  /** Ends the session that holds the lock, as a server does that fails over. */
  private void endSession() {
    Database.execute(
        Database.get().pool(),
        """
        select pg_terminate_backend(l.pid, 120000)
        from pg_locks l, (select hashtextextended(current_schema(), %d) as key) k
        where l.locktype = 'advisory' and l.objsubid = 1 and l.pid <> pg_backend_pid()
          and (l.classid::bigint << 32 | l.objid::bigint) = k.key
        """
            .formatted(lock));
  }

  @Test
  void oneNodeIsTheOwnerUntilItGivesThePartUp() {
    assertThat(second.owner()).isEmpty();
    assertThat(first.isOwner()).isFalse();
    assertThat(first.acquire()).isTrue();
    assertThat(first.acquire()).isTrue();
    assertThat(first.isOwner()).isTrue();
    assertThat(second.acquire()).isFalse();
    assertThat(second.owner()).isEqualTo("first");

    first.close();
    assertThat(second.acquire()).isTrue();
    assertThat(first.isOwner()).isFalse();
    assertThat(first.acquire()).isFalse();
    assertThat(first.owner()).isEqualTo("second");
  }

  @Test
  void ownerWhoseSessionEndedIsNoLongerTheOwnerWhenAnotherNodeIs() {
    assertThat(first.acquire()).isTrue();
    endSession();
    assertThat(first.isOwner()).as("no other node is").isTrue();
    assertThat(second.acquire()).isTrue();
    assertThat(first.isOwner()).isFalse();
    assertThat(first.acquire()).isFalse();
    assertThat(second.isOwner()).isTrue();
  }

  @Test
  void ownerWhoseSessionEndedCanBeItAgain() {
    assertThat(first.acquire()).isTrue();
    endSession();
    assertThat(first.acquire()).isTrue();
    assertThat(second.acquire()).isFalse();
  }
}
