package dev.weir.examples;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.store.jdbc.slots.JdbcSlotStore;
import java.time.Duration;

/**
 * Keeps slots in PostgreSQL, so that they outlive the process and hold for all instances of a
 * service. The tables are created on the first start.
 *
 * <p>Any DataSource will do, best a pool. Two schedulers here stand for a service that is
 * restarted: the payment keeps its time.
 */
public final class SlotsOnPostgresql {
  private SlotsOnPostgresql() {}

  /** Takes an address such as {@code jdbc:postgresql://localhost/postgres?user=postgres}. */
  public static void main(String... args) {
    try (HikariDataSource database = new HikariDataSource()) {
      database.setJdbcUrl(args[0]);
      for (int start = 1; start <= 2; start++) {
        try (SlotScheduler slots = SlotScheduler.on(JdbcSlotStore.on(database))) {
          slots.configure("bank-api", SlotPolicy.of(200, Duration.ofSeconds(4)));
          System.out.printf("pay-1: %s%n", slots.assign("pay-1", "bank-api").scheduledTime());
        }
      }
    }
  }
}
