package dev.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.StoreException;
import dev.weir.server.wiring.TestNode;
import dev.weir.slots.SlotLedger;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The responses when no place is free, the store is unavailable, or an error is unexpected. */
final class FaultsIT {
  private static final String SECRET = "jdbc:postgresql://10.1.2.3/weir?password=hunter2";

  @Test
  void saysWhenToTryAgainAndKeepsItsWord() {
    AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    InstantSource clock = now::get;
    try (TestNode.Served node = TestNode.onClock(clock)) {
      Http http = new Http(node.address());
      assertThat(
              http.post(
                      "/admin/rate-limit/config",
                      """
                      {"configName":"full","maxPerWindow":2,"windowSize":"PT10S","maxDelay":"PT15S"}
                      """)
                  .status())
          .isEqualTo(201);
      for (int i = 0; i < 4; i++) {
        http.post("/api/v1/slots", request("e" + i)).ok();
      }
      for (int i = 4; i < 8; i++) {
        Http.Answer refused =
            http.post("/api/v1/slots", request("e" + i)).problem(503, "no-capacity");
        int seconds = Integer.parseInt(refused.header("retry-after").orElse(""));
        assertThat(seconds).isBetween(1, 60);
        http.get("/api/v1/slots/e" + i).problem(404, "unknown-event");
        // A moment less is not enough, or Retry-After would have been shorter.
        now.updateAndGet(before -> before.plusSeconds(seconds).minusMillis(1_500));
        http.post("/api/v1/slots", request("e" + i)).problem(503, "no-capacity");
        now.updateAndGet(before -> before.plusMillis(1_500));
        assertThat(http.post("/api/v1/slots", request("e" + i)).ok().intAt("delayMs"))
            .isLessThanOrEqualTo((int) Duration.ofSeconds(15).toMillis());
      }
      String named =
          request("named").replace("}", ",\"requestedTime\":\"%s\"}".formatted(now.get()));
      Http.Answer refused = http.post("/api/v1/slots", named).problem(503, "no-capacity");
      // The time that it names comes no nearer.
      assertThat(refused.header("retry-after")).isEmpty();
      assertThat(refused.textAt("detail")).contains("Waiting does not help");
      Http.Answer batch =
          http.post("/api/v1/slots/batch", "[" + request("b1") + "," + request("b2") + "]").ok();
      assertThat(batch.text()).contains("urn:weir:problem:no-capacity", "\"status\":503");
    }
  }

  @Test
  void leaksNothingOfUnexpectedErrors() {
    RuntimeException failure = new IllegalStateException("cannot reach " + SECRET);
    try (TestNode.Served node =
            TestNode.serving(InstantSource.system(), ledger -> broken(ledger, failure));
        LogWatch logs = new LogWatch()) {
      Http http = new Http(node.address());
      List<Http.Answer> answers =
          List.of(
              http.get("/api/v1/slots/a"),
              http.delete("/api/v1/slots/a"),
              http.post("/api/v1/slots/a/confirm"),
              http.get("/api/v1/slots"),
              http.get("/api/v1/slots/windows?from=2026-01-01T00:00:00Z"),
              http.get("/api/v1/slots/forecast?events=1"));
      for (Http.Answer answer : answers) {
        answer.problem(500, "unexpected");
        assertThat(answer.text()).doesNotContain("hunter2", "Exception", "dev.weir", "at ");
        String id = answer.textAt("detail").replaceAll(".*for id ([0-9a-f-]{36})\\.", "$1");
        assertThat(logs.lines("ERROR"))
            .anyMatch(line -> line.contains(id) && line.contains("reach"));
      }
      assertThat(http.send("HEAD", "/api/v1/slots/a").status()).isEqualTo(500);
    }
  }

  @Test
  void saysThatNothingWasDoneWhereTheStoreFails() {
    RuntimeException failure =
        new StoreException(StoreException.Outcome.NONE, "the database failed: " + SECRET);
    try (TestNode.Served node =
        TestNode.serving(InstantSource.system(), ledger -> broken(ledger, failure))) {
      Http http = new Http(node.address());
      List<Http.Answer> answers =
          List.of(
              http.post("/api/v1/slots", "{\"eventId\":\"a\"}"),
              http.get("/api/v1/slots/a"),
              http.delete("/api/v1/slots/a"),
              http.post("/api/v1/slots/a/confirm"),
              http.get("/api/v1/slots"));
      for (Http.Answer answer : answers) {
        answer.problem(503, "store-unavailable");
        assertThat(answer.header("retry-after")).hasValue("1");
        assertThat(answer.text()).doesNotContain("hunter2");
      }
      Http.Answer batch =
          http.post("/api/v1/slots/batch", "[{\"eventId\":\"a\"},{\"eventId\":\"\"}]").ok();
      assertThat(batch.textAt("0.type")).isEqualTo("urn:weir:problem:store-unavailable");
      assertThat(batch.textAt("0.eventId")).isEqualTo("a");
      assertThat(batch.textAt("1.type")).isEqualTo("urn:weir:problem:invalid-request");
      Http.Answer lines = http.lines("{\"eventId\":\"a\"}\n{\"eventId\":\"b\"}\n");
      assertThat(lines.status()).isEqualTo(200);
      assertThat(lines.text().lines())
          .hasSize(2)
          .allMatch(line -> line.contains("store-unavailable"));
    }
  }

  /** A ledger on which everything fails. */
  private static SlotLedger broken(SlotLedger ledger, RuntimeException failure) {
    return (SlotLedger)
        Proxy.newProxyInstance(
            FaultsIT.class.getClassLoader(),
            new Class<?>[] {SlotLedger.class},
            (proxy, method, arguments) -> {
              if (method.getDeclaringClass() == SlotLedger.class) {
                throw failure;
              }
              try {
                return method.invoke(ledger, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static String request(String eventId) {
    return "{\"eventId\":\"%s\",\"configName\":\"full\"}".formatted(eventId);
  }
}
