package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.client.Assignment;
import dev.weir.client.Call;
import dev.weir.client.CheckResult;
import dev.weir.client.Feed;
import dev.weir.client.FeedUpload;
import dev.weir.client.JsonObject;
import dev.weir.client.Outcome;
import dev.weir.client.OutgoingMessage;
import dev.weir.client.Problem;
import dev.weir.client.SendResult;
import dev.weir.client.SlotRequest;
import dev.weir.client.WeirClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The programs of {@code docs/client.md} compile. {@code WeirClientIT} calls what they call. */
final class ClientExamplesTest {
  @Test
  void theDocumentShowsTheProgramsBelow() throws IOException {
    String source =
        Files.readString(Path.of("src/test/java/dev/weir/server/ClientExamplesTest.java"));
    List<Prose.Block> examples =
        Pattern.compile(" {6}// docs: (?!end)[^\\n]*\\n(.*?) {6}// docs: end", Pattern.DOTALL)
            .matcher(source)
            .results()
            .map(example -> new Prose.Block("java", example.group(1).indent(-6)))
            .toList();
    assertThat(Prose.read("docs/client.md").blocks())
        .filteredOn(block -> block.language().equals("java"))
        .containsExactlyElementsOf(examples);
  }

  /** Programs that are only compiled. */
  private abstract static class Examples {
    abstract void schedule(String eventId, Instant at);

    abstract void later(Optional<Duration> delay);

    abstract void report(Problem problem);

    abstract void serve();

    abstract void tryAgainIn(Duration delay);

    abstract void serveAnyway(Outcome outcome);

    Instant client(String key) {
      // docs: client
      try (WeirClient weir = WeirClient.at("https://weir.example.com").credential(key).build()) {
        return weir.slots().assign("pay-1", "bank-api").scheduledTime();
      }
      // docs: end
    }

    void slots(WeirClient weir, Instant tomorrow) {
      // docs: slots
      switch (weir.slots().assign(SlotRequest.of("pay-2", "bank-api").from(tomorrow))) {
        case Assignment.Assigned assigned -> schedule("pay-2", assigned.slot().scheduledTime());
        case Assignment.NoCapacity full -> later(full.retryAfter());
        case Assignment.UnknownConfig missing -> report(missing.problem());
      }
      // docs: end
    }

    void limits(WeirClient weir) {
      // docs: limits
      switch (weir.limits().check("api", "user:101")) {
        case CheckResult.Allowed allowed -> serve();
        case CheckResult.Refused refused -> tryAgainIn(refused.retryAfter());
        case CheckResult.Undecided undecided -> serveAnyway(undecided.outcome());
      }
      // docs: end
    }

    void messages(WeirClient weir) {
      // docs: messages
      OutgoingMessage hello = OutgoingMessage.to(101, "Hello").deferrable();
      SendResult result = weir.messages().send(hello);
      // docs: end
      assertThat(result).isNotNull();
    }

    void payments(WeirClient weir, Path file) throws IOException {
      // docs: payments
      FeedUpload salaries = FeedUpload.csv("salaries-2026-06", file).controlSum("EUR:1234.50");
      Feed progress = weir.payments().send(salaries);
      // docs: end
      assertThat(progress).isNotNull();
    }

    void otherEndpoints(WeirClient weir) throws IOException {
      // docs: other endpoints
      Call call = Call.get("/api/analytics/users").parameter("limit", "5");
      List<JsonObject> users = weir.send(call).json().objects("users");
      // docs: end
      assertThat(users).isNotNull();
    }
  }
}
