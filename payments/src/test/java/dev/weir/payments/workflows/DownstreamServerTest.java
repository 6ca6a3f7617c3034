package dev.weir.payments.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.payments.Payment;
import dev.weir.payments.simulator.DownstreamServer;
import dev.weir.payments.simulator.DownstreamSimulator;
import dev.weir.payments.simulator.SimulatorSettings;
import dev.weir.payments.simulator.calls.CallResult;
import dev.weir.payments.workflows.Downstream.Answer;
import dev.weir.store.tck.internal.Await;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The simulator and its client over real connections. */
final class DownstreamServerTest {
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
  private static final Duration MAX_WAIT = Duration.ofMinutes(2);

  @TempDir Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable any : open.reversed()) {
      any.close();
    }
  }

  @Test
  void paysOnceHoweverOftenItIsCalled() throws IOException {
    DownstreamSimulator simulator = simulator(10, SimulatorSettings.Faults.NONE);
    HttpDownstream client = client(simulator, MAX_WAIT);
    Answer first = client.pay(payment("pay 1/ü\n😀"));
    assertThat(first)
        .isInstanceOfSatisfying(
            Answer.Paid.class, paid -> assertThat(paid.reference()).startsWith("SIM-"));
    assertThat(client.pay(payment("pay 1/ü\n😀"))).isEqualTo(first);
    assertThat(simulator.statistics().booked()).isEqualTo(1);
    assertThat(simulator.statistics().count(CallResult.REPEATED)).isEqualTo(1);
  }

  @Test
  void refusesAboveTheCeilingWhateverArrivesTogether() throws Exception {
    DownstreamSimulator simulator = simulator(10, SimulatorSettings.Faults.NONE);
    HttpDownstream client = client(simulator, MAX_WAIT);
    List<Answer> answers = new ArrayList<>();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Answer>> calls = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        Payment payment = payment("p" + i);
        calls.add(callers.submit(() -> client.pay(payment)));
      }
      for (Future<Answer> call : calls) {
        answers.add(call.get());
      }
    }
    // The clock stands still, so all of them are in the same second.
    assertThat(answers).filteredOn(Answer.Paid.class::isInstance).hasSize(10);
    assertThat(answers)
        .filteredOn(Answer.Retry.class::isInstance)
        .hasSize(30)
        .allSatisfy(
            answer -> assertThat(((Answer.Retry) answer).after()).isEqualTo(Duration.ofSeconds(1)));
    assertThat(simulator.statistics().maxInSecond()).isEqualTo(40);
    assertThat(simulator.statistics().within(10)).isFalse();
  }

  @Test
  void cannotTellWhetherACallWithALostAnswerPaid() throws IOException {
    DownstreamSimulator simulator = simulator(10, new SimulatorSettings.Faults(0, 0, 0, 1));
    HttpDownstream client = client(simulator, MAX_WAIT);
    assertThat(client.pay(payment("a"))).isInstanceOf(Answer.Unknown.class);
    assertThat(simulator.statistics().booked()).isEqualTo(1);
    assertThat(simulator.statistics().calls()).isEqualTo(1);
  }

  @Test
  void tellsWhichPaymentsAreBooked() throws Exception {
    DownstreamSimulator simulator = simulator(10, new SimulatorSettings.Faults(0, 0, 0, 1));
    URI base = serve(simulator);
    assertThat(get(base.resolve("/payments/a%2Fb"))).contains("there is no such payment");
    assertThat(client(base, MAX_WAIT).pay(payment("a/b"))).isInstanceOf(Answer.Unknown.class);
    assertThat(get(base.resolve("/payments/a%2Fb"))).contains("\"reference\":\"SIM-");
  }

  @Test
  void givesUpACallWithoutAnAnswer() throws IOException {
    DownstreamSimulator simulator =
        DownstreamSimulator.inMemory(
            new SimulatorSettings(
                10,
                Duration.ZERO,
                Duration.ofMinutes(10),
                new SimulatorSettings.Faults(0, 0, 1, 0),
                1,
                10),
            () -> NOW);
    HttpDownstream client = client(simulator, Duration.ofMillis(500));
    Answer answer = client.pay(payment("a"));
    // On a busy machine, the connection may take longer than that.
    while (answer instanceof Answer.Retry) {
      answer = client.pay(payment("a"));
    }
    assertThat(answer)
        .isInstanceOfSatisfying(
            Answer.Unanswered.class,
            unanswered -> assertThat(unanswered.reason()).isEqualTo("no answer within PT0.5S"));
    // The call arrives, also after it was given up.
    Await.until(() -> simulator.statistics().count(CallResult.TIMED_OUT) == 1);
  }

  @Test
  void passesRejectionsAndErrorsOn() throws IOException {
    HttpDownstream rejecting =
        client(simulator(10, new SimulatorSettings.Faults(1, 0, 0, 0)), MAX_WAIT);
    assertThat(rejecting.pay(payment("a")))
        .isEqualTo(new Answer.Rejected("status 422: the account is closed"));
    HttpDownstream failing =
        client(simulator(10, new SimulatorSettings.Faults(0, 1, 0, 0)), MAX_WAIT);
    assertThat(failing.pay(payment("a")))
        .matches(answer -> answer instanceof Answer.Retry || answer instanceof Answer.Unknown);
  }

  @Test
  void knowsThatACallWithoutAConnectionNeverArrived() throws IOException {
    // It does not listen, and no other program can on its port.
    try (Socket nowhere = new Socket()) {
      nowhere.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      URI address = URI.create("http://127.0.0.1:" + nowhere.getLocalPort());
      assertThat(client(address, MAX_WAIT).pay(payment("a")))
          .isInstanceOfSatisfying(Answer.Retry.class, retry -> assertThat(retry.after()).isZero());
    }
  }

  @Test
  void countsCallsThatItCannotRead() throws Exception {
    DownstreamSimulator simulator = simulator(100, SimulatorSettings.Faults.NONE);
    URI base = serve(simulator);
    String body = "{\"paymentId\":\"a\"}";
    assertThat(post(base, Optional.empty(), body)).isEqualTo(400);
    assertThat(post(base, Optional.of("%"), body)).isEqualTo(400);
    assertThat(post(base, Optional.of("b"), body)).isEqualTo(400);
    assertThat(post(base, Optional.of("a"), "[]")).isEqualTo(400);
    assertThat(post(base, Optional.of("a"), "{\"paymentId\":\"a\"")).isEqualTo(400);
    assertThat(post(base, Optional.of("a"), body + " ".repeat(20_000))).isEqualTo(400);
    assertThat(post(base, Optional.of("a"), body)).isEqualTo(201);
    assertThat(simulator.statistics().count(CallResult.INVALID)).isEqualTo(6);
  }

  @Test
  void showsItsCountsAndAChart() throws Exception {
    DownstreamSimulator simulator = simulator(10, SimulatorSettings.Faults.NONE);
    client(simulator, MAX_WAIT).pay(payment("a"));
    URI base = serve(simulator);
    assertThat(get(base.resolve("/summary")))
        .contains("\"ceiling\":10,\"maxInSecond\":1,\"ceilingHeld\":true,\"booked\":1,\"calls\":1")
        .contains("\"first\":\"2026-06-01T12:00:00Z\"");
    assertThat(get(base.resolve("/report.svg"))).startsWith("<svg ").contains("ceiling 10");
  }

  @Test
  void booksNothingThatItCannotRecord() throws Exception {
    DownstreamSimulator simulator =
        DownstreamSimulator.recording(
            SimulatorSettings.faultless(10), () -> NOW, folder.resolve("calls.ndjson"));
    HttpDownstream client = client(simulator, MAX_WAIT);
    simulator.close();
    assertThat(client.pay(payment("a"))).isInstanceOf(Answer.Unknown.class);
    assertThat(simulator.statistics().booked()).isZero();
  }

  private DownstreamSimulator simulator(int ceiling, SimulatorSettings.Faults faults) {
    return DownstreamSimulator.inMemory(
        new SimulatorSettings(ceiling, Duration.ZERO, Duration.ZERO, faults, 1, 1_000), () -> NOW);
  }

  @Test
  void closedServerAnswersOnlyThoseWhoKnowItsSecret() throws Exception {
    DownstreamServer server =
        DownstreamServer.closed(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            simulator(10, SimulatorSettings.Faults.NONE),
            "Bearer key");
    open.add(server);
    assertThat(post(server.address(), Optional.of("p"), "{}")).isEqualTo(401);
    try (HttpDownstream stranger =
            new HttpDownstream(
                new HttpDownstream.Settings(server.address(), MAX_WAIT, "Bearer other"),
                InstantSource.system());
        HttpDownstream owner = client(server.address(), MAX_WAIT)) {
      assertThat(stranger.pay(payment("p"))).isNotInstanceOf(Answer.Paid.class);
      assertThat(owner.pay(payment("p"))).isInstanceOf(Answer.Paid.class);
    }
  }

  private URI serve(DownstreamSimulator simulator) throws IOException {
    DownstreamServer server =
        DownstreamServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), simulator);
    open.add(server);
    return server.address();
  }

  private HttpDownstream client(DownstreamSimulator simulator, Duration maxCallTime)
      throws IOException {
    return client(serve(simulator), maxCallTime);
  }

  private HttpDownstream client(URI base, Duration maxCallTime) {
    HttpDownstream client =
        new HttpDownstream(
            new HttpDownstream.Settings(base, maxCallTime, "Bearer key"), InstantSource.system());
    open.add(client);
    return client;
  }

  private static int post(URI base, Optional<String> key, String body) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve("/payments"))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    key.ifPresent(value -> request.header("Idempotency-Key", value));
    return HttpClient.newHttpClient()
        .send(request.build(), HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private static String get(URI address) throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private static Payment payment(String id) {
    return new Payment(
        id, new BigDecimal("12.50"), "EUR", "A", "B", Optional.empty(), "Invoice \"1\"", "");
  }
}
