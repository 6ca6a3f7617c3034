package dev.weir.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.client.Assignment;
import dev.weir.client.Call;
import dev.weir.client.CheckRequest;
import dev.weir.client.CheckResult;
import dev.weir.client.Outcome;
import dev.weir.client.Retries;
import dev.weir.client.Slot;
import dev.weir.client.SlotReply;
import dev.weir.client.SlotRequest;
import dev.weir.client.UnansweredException;
import dev.weir.client.WeirClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Java client and a node that dies, or whose answers do. */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class ClientUnderFaultsIT {
  private static final Duration LONG = Duration.ofMinutes(10);

  /** More than can be needed within the time-out. */
  private static final Retries MANY =
      new Retries(1_000, Duration.ofMillis(50), Duration.ofSeconds(1));

  @AutoClose private static final StartedParts STARTED = new StartedParts();

  @TempDir private static Path folder;
  private static NodeProcess node;

  @BeforeAll
  static void start() throws IOException {
    Database database = STARTED.add(Database.startEmpty(folder.resolve("data")));
    node = STARTED.add(NodeProcess.start(folder.resolve("1.log"), database.environment()));
    node.awaitReady();
    try (WeirClient weir = client(node.address()).build()) {
      weir.send(
          Call.post("/admin/rate-limit/config")
              .json("{\"configName\":\"bank\",\"maxPerWindow\":100,\"windowSize\":\"PT1S\"}"));
      weir.send(
          Call.post("/api/admin/rules")
              .json("{\"name\":\"raced\",\"allowedRequests\":100,\"windowSeconds\":86400}"));
    }
  }

  private static WeirClient.Builder client(URI address) {
    return WeirClient.at(address).connectTimeout(LONG).attemptTimeout(LONG).timeout(LONG);
  }

  private static URI through(Relay relay) {
    return URI.create("http://127.0.0.1:" + relay.port());
  }

  @Test
  void slotWhoseAnswerWasLostIsFoundByTheNextAttempt() throws Exception {
    try (Relay relay = new Relay(node.address().getPort());
        WeirClient direct = client(node.address()).build();
        WeirClient weir =
            client(through(relay)).attemptTimeout(Duration.ofSeconds(1)).retries(MANY).build();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      relay.swallowReplies();
      Future<Slot> slot = threads.submit(() -> weir.slots().assign("lost-1", "bank"));
      Waiting.until(
          "the slot that nobody is told of", () -> direct.slots().find("lost-1").isPresent());
      relay.mend();
      assertThat(slot.get().scheduledTime())
          .isEqualTo(direct.slots().find("lost-1").orElseThrow().slot().scheduledTime());
    }
  }

  @Test
  void answerThatIsLostForGoodLeavesTheOutcomeOpen() throws Exception {
    try (Relay relay = new Relay(node.address().getPort());
        WeirClient weir =
            client(through(relay))
                .attemptTimeout(Duration.ofSeconds(1))
                .retries(Retries.NONE)
                .build()) {
      relay.swallowReplies();
      UnansweredException lost =
          Assertions.catchThrowableOfType(
              UnansweredException.class, () -> weir.slots().assign("lost-2", "bank"));
      assertThat(lost.outcome()).isEqualTo(Outcome.UNKNOWN);
    }
  }

  @Test
  void everyEventOfAStreamHasOneSlotWhenItsNodeIsKilledAndReturns() throws Exception {
    int events = 20_000;
    List<SlotRequest> requests =
        IntStream.range(0, events)
            .mapToObj(event -> SlotRequest.of("killed-" + event, "bank"))
            .toList();
    List<SlotReply> told = new ArrayList<>();
    try (WeirClient weir = client(node.address()).retries(MANY).build();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> restarts = new ArrayList<>();
      weir.slots()
          .assignAll(
              requests.iterator(),
              reply -> {
                told.add(reply);
                if (told.size() == events / 4) {
                  // While the next part is in progress.
                  restarts.add(
                      threads.submit(
                          () -> {
                            node.kill();
                            node.restart();
                            return node.awaitReady();
                          }));
                }
              });
      assertThat(restarts).hasSize(1);
      restarts.getFirst().get();
      assertThat(told)
          .extracting(SlotReply::eventId)
          .isEqualTo(requests.stream().map(SlotRequest::eventId).toList());
      List<SlotReply> again = weir.slots().assignAll(requests);
      for (int i = 0; i < events; i++) {
        assertThat(told.get(i)).isInstanceOf(Assignment.Assigned.class);
        assertThat(again.get(i))
            .isEqualTo(new Assignment.Assigned(((Assignment.Assigned) told.get(i)).slot(), true));
      }
    }
  }

  @Test
  void checksWithIdsAreCountedOnceWhateverIsLost() throws Exception {
    try (Relay relay = new Relay(node.address().getPort());
        WeirClient weir =
            client(through(relay)).attemptTimeout(Duration.ofSeconds(2)).retries(MANY).build();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<CheckResult>> checks = new ArrayList<>();
      for (int i = 0; i < 150; i++) {
        CheckRequest request = CheckRequest.of("raced", "key").requestId("check-" + i);
        checks.add(threads.submit(() -> weir.limits().check(request)));
        if (i % 50 == 25) {
          relay.swallowReplies();
        } else if (i % 50 == 40) {
          relay.cut();
          relay.mend();
        }
      }
      relay.cut();
      relay.mend();
      int allowed = 0;
      for (Future<CheckResult> check : checks) {
        switch (check.get()) {
          case CheckResult.Allowed granted -> allowed++;
          case CheckResult.Refused refused -> {}
          case CheckResult.Undecided undecided -> throw undecided.failure();
        }
      }
      assertThat(allowed).isEqualTo(100);
    }
  }
}
