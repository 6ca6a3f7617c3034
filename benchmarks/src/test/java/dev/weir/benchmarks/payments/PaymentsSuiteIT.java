package dev.weir.benchmarks.payments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import dev.weir.benchmarks.slots.BenchDatabase;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The cases run, and check that what they measure was done; their figures mean nothing here. */
final class PaymentsSuiteIT {
  private static final Effort SMALL = new Effort(1, 500, 50);

  private static List<Row> run(PaymentsSuite.Case part) throws Exception {
    Suite.Request request =
        new Suite.Request(true, Optional.empty(), Optional.empty(), Map.of(), line -> {});
    try (BenchDatabase database = BenchDatabase.open(Optional.empty())) {
      return part.run(database, SMALL, request);
    }
  }

  @Test
  void aFeedIsHandedOverCompletely() throws Exception {
    assertThat(run(new IngestCase()))
        .hasSize(3)
        .allSatisfy(row -> assertThat(row.value()).isPositive());
  }

  @Test
  void pacedAndPlainStartsAreAccepted() throws Exception {
    assertThat(run(new StartsCase()))
        .hasSize(1)
        .allSatisfy(row -> assertThat(row.value()).isPositive());
  }
}
