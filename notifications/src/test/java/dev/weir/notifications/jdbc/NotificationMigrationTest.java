package dev.weir.notifications.jdbc;

import dev.weir.store.jdbc.ProductMigrationClaims;

final class NotificationMigrationTest implements ProductMigrationClaims {
  @Override
  public String product() {
    return "notifications";
  }

  @Override
  public String table() {
    return "notification_message";
  }
}
