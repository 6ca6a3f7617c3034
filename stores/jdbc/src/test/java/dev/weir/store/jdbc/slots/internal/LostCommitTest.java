package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.Slot;
import dev.weir.slots.SlotObserver;
import dev.weir.store.jdbc.Database;
import dev.weir.store.jdbc.StoreClock;
import dev.weir.store.tck.slots.Node;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A database that loses commits, like a standby that takes over too early. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LostCommitTest {
  private final Database database = Database.get();
  private final Node one = node();
  private final Node other = node();
  private final Account account = Account.open(one, 10);

  private Node node() {
    return Database.node(database.pool(), StoreClock.DATABASE, SlotObserver.NONE);
  }

  @Test
  void viewOfALostCommitIsNotUsed() {
    account.assign(one, "lost", Account.NOON);
    forget();
    Slot second =
        Account.slot(other.ledger().assign(account.requests("kept", 2, Account.NOON)).getLast());

    Slot third = account.assign(one, "new", Account.NOON);

    assertThat(third.scheduledTime()).isNotEqualTo(second.scheduledTime());
    assertThat(third.place()).isEqualTo(2);
  }

  private void forget() {
    String id =
        "(select config_id from slot_config where name = '%s')".formatted(account.config().name());
    Database.execute(database.pool(), "delete from slot where config_id = " + id);
    Database.execute(database.pool(), "delete from slot_window where config_id = " + id);
    Database.execute(database.pool(), "update slot_config set seq = 0 where config_id = " + id);
  }
}
