package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Http;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node as it is started without settings, and stopped by a signal. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class FreshNodeIT {
  /** A node that makes no payments does not pay for them. */
  @Test
  void loadsNothingOfTemporalBeforeTheFirstFeedAndLeavesNoDatabaseBehind(@TempDir Path folder)
      throws Exception {
    Path data = folder.resolve("data");
    Path classes = folder.resolve("classes.txt");
    try (ChildNode node =
        ChildNode.start(
            Map.of(
                "WEIR_SLOTS_STORE", "postgresql",
                "WEIR_DATA", data.toString(),
                "WEIR_DB_WAIT", "PT1M"),
            "-Xlog:class+load:file=" + classes)) {
      Http http = new Http(node.address());
      http.get("/api/v1/payments/feeds").ok();
      List<String> loaded = Files.readAllLines(classes);
      assertThat(loaded)
          .anyMatch(line -> line.contains("dev.weir.payments.server.node.PaymentRuntime"));
      assertThat(loaded).noneMatch(line -> line.contains(" io.temporal."));
      assertThat(loaded).noneMatch(line -> line.contains(".PaymentService "));
      assertThat(data.resolve("postgresql/postmaster.pid")).exists();
      node.terminate();
      assertThat(node.await()).isEqualTo(143);
    }
    assertThat(Leftovers.of(data)).isEmpty();
    assertThat(data.resolve("postgresql/postmaster.pid")).doesNotExist();
  }
}
