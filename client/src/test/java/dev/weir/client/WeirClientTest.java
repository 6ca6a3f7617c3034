package dev.weir.client;

import static dev.weir.client.Loopback.reply;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class WeirClientTest {
  private static final String SECRET = "s3cret-key";

  @Test
  void eachAttemptAsksForTheTokenAndNamesTheProgram() throws IOException {
    AtomicInteger tokens = new AtomicInteger();
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  if (number == 1) {
                    Loopback.unavailable(request, "none");
                  } else {
                    reply(request, 200, Loopback.SLOT.formatted("e"));
                  }
                });
        WeirClient weir =
            server
                .client()
                .credential(() -> "token-" + tokens.incrementAndGet())
                .userAgent("billing/1.2")
                .build()) {
      Slot slot = weir.slots().assign("e", "bank");
      assertThat(slot.delay()).isEqualTo(Duration.ofSeconds(1));
      assertThat(server.seen())
          .extracting(seen -> seen.header("Authorization"))
          .containsExactly("Bearer token-1", "Bearer token-2");
      assertThat(server.seen().getFirst().header("User-Agent"))
          .startsWith("billing/1.2 weir-client");
    }
  }

  /** A rule that counts by a field refuses a request that has it twice. */
  @Test
  void fieldOfACallReplacesThatOfTheClient() throws IOException {
    try (Loopback server = new Loopback((request, number) -> reply(request, 200, "{}"));
        WeirClient weir = server.client().credential(SECRET).build()) {
      weir.limits()
          .authorize(
              OriginalRequest.of("GET", "/a", "127.0.0.1")
                  .header("user-agent", "browser")
                  .header("Accept", "text/html"));
      assertThat(server.seen().getFirst().exchange().getRequestHeaders().get("User-Agent"))
          .containsExactly("browser");
      assertThat(server.seen().getFirst().exchange().getRequestHeaders().get("Accept"))
          .containsExactly("text/html");
      assertThat(server.seen().getFirst().header("Authorization")).isEqualTo("Bearer " + SECRET);
    }
  }

  @Test
  void nothingThatCanBeLoggedHasTheCredential() throws IOException {
    try (Loopback server = new Loopback((request, number) -> Loopback.hangUp());
        WeirClient weir = server.client().credential(SECRET).build()) {
      WeirException failed =
          catchThrowableOfType(WeirException.class, () -> weir.slots().assign("e", "bank"));
      assertThat(server.seen().getFirst().header("Authorization")).isEqualTo("Bearer " + SECRET);
      assertThat(weir.toString() + failed + failed.getCause()).doesNotContain(SECRET);
      assertThat(Call.get("/a").header("X-Key", SECRET).toString()).doesNotContain(SECRET);
    }
    assertThatThrownBy(() -> WeirClient.at("http://127.0.0.1").credential(SECRET + "\r\nX: y"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining(SECRET);
    assertThatThrownBy(() -> WeirClient.at(URI.create("http://user:" + SECRET + "@host")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining(SECRET);
  }

  @Test
  void idsAreEncodedAndAPathBeforeTheApiIsKept() throws IOException {
    try (Loopback server =
            new Loopback((request, number) -> Loopback.problem(request, 404, "unknown-event", ""));
        WeirClient weir = Loopback.patient(server.url() + "/a%20b/").build()) {
      assertThat(weir.slots().confirm("x/y z+ü?")).isInstanceOf(Confirmation.Unknown.class);
      assertThat(server.seen().getFirst().target())
          .isEqualTo("/a%20b/api/v1/slots/x%2Fy%20z%2B%C3%BC%3F/confirm");
    }
  }

  @Test
  void halfACharacterIsRefusedAndNotSentAsAnotherOne() throws IOException {
    String half = "a\ud83d";
    try (Loopback server =
            new Loopback((request, number) -> reply(request, 200, Loopback.SLOT.formatted("e")));
        WeirClient weir = server.client().build()) {
      for (ThrowableAssert.ThrowingCallable call :
          List.<ThrowableAssert.ThrowingCallable>of(
              () -> weir.slots().assign(half, "bank"),
              () -> weir.slots().find("\udc00" + half),
              () -> weir.limits().check("api", half),
              () -> weir.messages().send(OutgoingMessage.to(1, half)),
              () -> weir.send(Call.get("/a").parameter("b", half)))) {
        assertThatThrownBy(call)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageEndingWith("must be valid Unicode, and has an unpaired surrogate");
      }
      assertThat(server.seen()).isEmpty();
      assertThat(weir.slots().assign("\ud83c\udf0a", "bank").eventId()).isEqualTo("e");
    }
  }

  @Test
  void aProblemNamesTheFieldsThatAreWrong() throws IOException {
    String problem =
        "{\"type\":\"urn:weir:problem:invalid-request\",\"title\":\"Bad Request\",\"status\":400,"
            + "\"detail\":\"1 field is wrong.\","
            + "\"errors\":[{\"field\":\"key\",\"message\":\"must not be empty\"}]}";
    try (Loopback server = new Loopback((request, number) -> reply(request, 400, problem));
        WeirClient weir = server.client().build()) {
      assertThatThrownBy(() -> weir.limits().check("api", "x"))
          .hasMessage("Bad Request: 1 field is wrong. key: must not be empty.");
    }
  }

  @Test
  void listsOfOtherEndpointsAreRead() throws IOException {
    try (Loopback server =
            new Loopback((request, number) -> reply(request, 200, "[{\"id\":1},{\"id\":2}]"));
        WeirClient weir = server.client().build()) {
      assertThat(weir.send(Call.get("/api/admin/rules")).jsonArray())
          .extracting(rule -> rule.requiredNumber("id"))
          .containsExactly(1L, 2L);
    }
  }

  @Test
  void whatIsNoJsonIsNamedWithoutTheWordsOfItsReader() throws IOException {
    try (Loopback server = new Loopback((request, number) -> reply(request, 200, "Hello"));
        WeirClient weir = server.client().build()) {
      assertThatThrownBy(() -> weir.slots().assign("e", "bank"))
          .hasMessageContaining("does not answer like a Weir server: it is no JSON: ")
          .hasMessageNotContaining("Source");
    }
  }

  @Test
  void eachOfManyThreadsGetsItsOwnAnswer() throws Exception {
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  String event = request.body().replaceAll(".*\"eventId\":\"([^\"]*)\".*", "$1");
                  reply(request, 200, Loopback.SLOT.formatted(event));
                });
        WeirClient weir = server.client().build();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Slot>> slots = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        String event = "e" + i;
        slots.add(threads.submit(() -> weir.slots().assign(event, "bank")));
      }
      for (int i = 0; i < slots.size(); i++) {
        assertThat(slots.get(i).get().eventId()).isEqualTo("e" + i);
      }
    }
  }

  @Test
  void anyNumberOfEventsIsAssignedInOrderWithOneCallAtATime() throws IOException {
    AtomicInteger inProgress = new AtomicInteger();
    AtomicInteger maxInProgress = new AtomicInteger();
    AtomicInteger taken = new AtomicInteger();
    AtomicInteger maxAhead = new AtomicInteger();
    int events = 30_000;
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  maxInProgress.accumulateAndGet(inProgress.incrementAndGet(), Math::max);
                  List<String> slots = new ArrayList<>();
                  for (JsonObject.Element entry :
                      JsonObject.readArray(request.body().getBytes(StandardCharsets.UTF_8))) {
                    slots.add(Loopback.SLOT.formatted(entry.object().requiredText("eventId")));
                  }
                  inProgress.decrementAndGet();
                  reply(request, 200, slots.toString());
                });
        WeirClient weir = server.client().build()) {
      Iterator<SlotRequest> requests =
          IntStream.range(0, events)
              .mapToObj(i -> SlotRequest.of("e" + i))
              .peek(request -> taken.incrementAndGet())
              .iterator();
      List<String> results = new ArrayList<>();
      weir.slots()
          .assignAll(
              requests,
              result -> {
                results.add(result.eventId());
                maxAhead.accumulateAndGet(taken.get() - results.size(), Math::max);
              });
      assertThat(results).isEqualTo(IntStream.range(0, events).mapToObj(i -> "e" + i).toList());
      assertThat(maxInProgress).hasValue(1);
      assertThat(maxAhead.get()).as("events in memory").isLessThan(events);
    }
  }

  @Test
  void answerWithAnotherNumberOfSlotsIsNotMatchedToEvents() throws IOException {
    try (Loopback server =
            new Loopback(
                (request, number) ->
                    reply(request, 200, "[" + Loopback.SLOT.formatted("a") + "]"));
        WeirClient weir = server.client().build()) {
      assertThatThrownBy(
              () -> weir.slots().assignAll(List.of(SlotRequest.of("a"), SlotRequest.of("b"))))
          .isInstanceOf(UnansweredException.class)
          .hasMessageContaining("it returned 1 slots, not 2");
    }
  }

  @Test
  void failureOfTheConsumerEndsTheCalls() throws IOException {
    try (Loopback server =
            new Loopback(
                (request, number) ->
                    reply(request, 200, "[" + Loopback.SLOT.formatted("a") + "]"));
        WeirClient weir = server.client().build()) {
      assertThatThrownBy(
              () ->
                  weir.slots()
                      .assignAll(
                          List.of(SlotRequest.of("a")).iterator(),
                          result -> {
                            throw new IllegalStateException("full");
                          }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("full");
    }
  }

  @Test
  void refundSaysWhatWasGranted() throws IOException {
    try (Loopback server =
            new Loopback(
                (request, number) -> {
                  if (number == 1) {
                    reply(
                        request,
                        200,
                        "{\"allowed\":true,\"all\":[{\"allowed\":true,\"rule\":\"a\",\"key\":\"k\","
                            + "\"remaining\":3,\"reset\":1.5},{\"allowed\":true,\"rule\":\"b\","
                            + "\"key\":\"k\",\"queued\":true}],\"delayMs\":20,\"mode\":\"local\","
                            + "\"replayed\":false,\"decidedAt\":\"2026-06-01T12:00:00Z\"}");
                  } else {
                    reply(request, 204, "");
                  }
                });
        WeirClient weir = server.client().build()) {
      CheckResult result = weir.limits().check(CheckRequest.of("a", "k", 2).and("b", "k", 1));
      assertThat(result)
          .isInstanceOfSatisfying(
              CheckResult.Allowed.class,
              allowed -> {
                assertThat(allowed.waited()).isEqualTo(Duration.ofMillis(20));
                assertThat(allowed.rules().getFirst().reset()).contains(Duration.ofMillis(1_500));
                weir.limits().refund(allowed);
              });
      assertThat(server.seen().getLast().body())
          .isEqualTo(
              "{\"all\":[{\"rule\":\"a\",\"key\":\"k\",\"cost\":2},"
                  + "{\"rule\":\"b\",\"key\":\"k\",\"cost\":1,\"queued\":true}],"
                  + "\"mode\":\"local\",\"decidedAt\":\"2026-06-01T12:00:00Z\"}");
    }
  }

  @Test
  void grantOfSomethingElseIsNoGrant() throws IOException {
    try (Loopback server = new Loopback((request, number) -> reply(request, 200, "{}"));
        WeirClient weir = server.client().build()) {
      assertThat(weir.limits().authorize(OriginalRequest.of("GET", "/ü", "127.0.0.1")))
          .isInstanceOf(Authorization.Undecided.class);
      assertThat(server.seen().getFirst().header("X-Original-URI")).isEqualTo("/%C3%BC");
    }
  }

  @Test
  void trustsTheCertificatesOfItsContextAndNoOthers(@TempDir Path folder) throws Exception {
    SSLContext context = context(folder);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    server.createContext(
        "/",
        exchange -> {
          byte[] slot = Loopback.SLOT.formatted("e").getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, slot.length);
          exchange.getResponseBody().write(slot);
          exchange.close();
        });
    server.start();
    String url = "https://localhost:" + server.getAddress().getPort();
    try (WeirClient trusting = Loopback.patient(url).sslContext(context).build();
        WeirClient other = Loopback.patient(url).retries(Retries.NONE).build()) {
      assertThat(trusting.slots().assign("e", "bank").eventId()).isEqualTo("e");
      UnansweredException refused =
          catchThrowableOfType(UnansweredException.class, () -> other.slots().assign("e", "bank"));
      assertThat(refused.outcome()).isEqualTo(Outcome.NONE);
    } finally {
      server.stop(0);
    }
  }

  private static SSLContext context(Path folder) throws Exception {
    Path file = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "weir",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                "changeit")
            .inheritIO()
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, "changeit".toCharArray());
    }
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, "changeit".toCharArray());
    TrustManagerFactory trusted =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusted.init(keys);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
    return context;
  }
}
