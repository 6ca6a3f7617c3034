package dev.weir.payments.jdbc;

import dev.weir.store.jdbc.ProductMigrationClaims;

final class PaymentMigrationTest implements ProductMigrationClaims {
  @Override
  public String product() {
    return "payments";
  }

  @Override
  public String table() {
    return "payment";
  }
}
