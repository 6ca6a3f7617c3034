package dev.weir.workflows.payments;

import dev.weir.engine.payments.Payment;
import dev.weir.workflows.payments.PaymentScene.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class RecordHistories {
  @Test
  void record() throws Exception {
    Path folder = Path.of("src/test/resources/histories/1");
    Files.createDirectories(folder);
    try (PaymentScene scene = PaymentScene.open(new Settings(100, 5, 0.4, 0))) {
      scene.receive("f", scene.feed(20));
      scene.awaitDone("f");
      int longest = 0;
      for (int i = 0; i < 20; i++) {
        var history = scene.time.client().fetchHistory(scene.payment(i).paymentId());
        int events = history.getHistory().getEventsCount();
        if (events == 11) {
          Files.writeString(folder.resolve("payment-paid.json"), history.toJson(true));
        } else if (events > longest && events < 60) {
          longest = events;
          Files.writeString(folder.resolve("payment-waited.json"), history.toJson(true));
        }
      }
      Files.writeString(
          folder.resolve("feed-started.json"),
          scene
              .time
              .client()
              .fetchHistory(Payment.RESERVED_PREFIX + scene.feedId("f"))
              .toJson(true));
    }
  }
}
