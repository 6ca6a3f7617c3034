package dev.weir.server.sender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.notifications.server.node.NotificationSetting;
import dev.weir.notifications.server.node.SenderNode;
import dev.weir.server.faults.Database;
import dev.weir.server.faults.KafkaProcess;
import dev.weir.server.faults.Ports;
import dev.weir.server.faults.Relay;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A sender without the rest of a node, as its operators see it. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class SenderNodeIT {
  private static final Map<Setting, String> ON_A_PORT =
      Map.of(NotificationSetting.SENDER_PORT, "0");

  @TempDir private static Path folder;
  private static Database database;
  private static Relay toKafka;
  private static KafkaProcess kafka;

  @BeforeAll
  static void start() throws Exception {
    // The sender does not create the tables.
    database = Database.start(folder.resolve("data"));
    int port = Ports.free();
    toKafka = new Relay(port);
    kafka = KafkaProcess.start(folder.resolve("kafka"), port, toKafka.port());
  }

  @AfterAll
  static void stop() throws IOException {
    kafka.close();
    toKafka.close();
    database.close();
  }

  @Test
  void answersOperatorsOnAPortOfItsOwn() throws Exception {
    toKafka.cut();
    try (SenderNode sender = SenderNode.start(settings(ON_A_PORT))) {
      Http http = new Http(URI.create("http://127.0.0.1:" + sender.port().orElseThrow()));
      Waiting.until("the warning", () -> isReadyWith(http, "cannot be read"));
      assertThat(get(http, "/health/live").ok().text()).isEqualTo("{\"status\":\"UP\"}");
      assertThat(get(http, "/metrics").text())
          .contains("rate_limiter_message_broker_down 1.0")
          .contains("jvm_memory_used_bytes");
      toKafka.mend();
      publish(List.of(7));
      Waiting.until(
          "the message to be sent",
          () ->
              get(http, "/metrics")
                  .text()
                  .contains("rate_limiter_message_attempts_total{result=\"taken\"} 1.0"));
      // The broker is alone, and does not flush each message.
      Waiting.until(
          "the warning about topics",
          () ->
              isReadyWith(
                  http, "topic sms-outbound has replication factor 1, min.insync.replicas=1"));
      Waiting.until("the end of the warning", () -> isReadyWithout(http, "cannot be read"));
      assertThat(get(http, "/metrics").text()).contains("rate_limiter_message_broker_down 0.0");
      wrongRequestsAreRefused(http, sender.port().orElseThrow());
    }
  }

  private static void wrongRequestsAreRefused(Http http, int port) {
    get(http, "/api/send").problem(404, "not-found");
    Http.Answer posted = answer(() -> http.post("/metrics")).problem(405, "method-not-allowed");
    assertThat(posted.header("allow")).hasValue("GET, HEAD");
    assertThat(raw(port, "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n")).contains(" 421 ");
    assertThat(raw(port, "GET /health/live HTTP/1.1\r\nHost: probe\r\n\r\n")).contains(" 200 ");
    assertThat(raw(port, "GET /" + "x".repeat(1_500) + " HTTP/1.1\r\n\r\n")).contains(" 400 ");
    assertThat(raw(port, "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        .contains(" 200 ")
        .endsWith("\r\n\r\n");
  }

  @Test
  void hasNoPortUnlessOneIsGivenAndSaysIfItIsInUse() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      try (SenderNode sender = SenderNode.start(settings(Map.of()))) {
        assertThat(sender.port()).isEmpty();
      }
      String port = Integer.toString(taken.getLocalPort());
      assertThatThrownBy(
              () -> SenderNode.start(settings(Map.of(NotificationSetting.SENDER_PORT, port))))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageContaining("weir.sender.port");
    }
  }

  /** Otherwise it would take a share of the messages, and hand them to another provider. */
  @Test
  void senderWithAnotherProviderSendsNothingAndSaysSoUntilTheOthersHaveGone() throws Exception {
    Map<Setting, String> webhook =
        Map.of(
            NotificationSetting.SENDER_PORT, "0",
            NotificationSetting.PROVIDER, "webhook",
            NotificationSetting.WEBHOOK_URL, "http://127.0.0.1:" + Ports.free(),
            NotificationSetting.WEBHOOK_SECRET, "0123456789abcdef");
    SenderNode first = SenderNode.start(settings(ON_A_PORT));
    try (SenderNode second = SenderNode.start(settings(webhook))) {
      Http http = new Http(URI.create("http://127.0.0.1:" + second.port().orElseThrow()));
      for (String part :
          List.of(
              "this node sends no messages", "is webhook 127.0.0.1 (", "on this database is log")) {
        Waiting.until("the warning", () -> isReadyWith(http, part));
      }
      Http sending = new Http(URI.create("http://127.0.0.1:" + first.port().orElseThrow()));
      publish(IntStream.range(0, 20).boxed().toList());
      Waiting.until(
          "all messages to be sent by the first",
          () ->
              get(sending, "/metrics")
                  .text()
                  .contains("rate_limiter_message_attempts_total{result=\"taken\"} 20.0"));
      first.close();
      Waiting.until(
          "the second to send", () -> isReadyWithout(http, "this node sends no messages"));
    } finally {
      first.close();
    }
  }

  /** Returns true if the sender is ready, which it says together with its warnings. */
  private static boolean isReadyWith(Http http, String warning) {
    Http.Answer ready = get(http, "/health/ready");
    return ready.status() == 200 && ready.text().contains(warning);
  }

  private static boolean isReadyWithout(Http http, String warning) {
    Http.Answer ready = get(http, "/health/ready");
    return ready.status() == 200 && !ready.text().contains(warning);
  }

  private static Http.Answer get(Http http, String path) {
    return answer(() -> http.get(path));
  }

  /** Asks until there is an answer: a connection ends after 15 s, even on a busy machine. */
  private static Http.Answer answer(Supplier<Http.Answer> request) {
    List<Http.Answer> answers = new ArrayList<>();
    Waiting.until(
        "an answer",
        () -> {
          try {
            return answers.add(request.get());
          } catch (UncheckedIOException e) {
            return false;
          }
        });
    return answers.getFirst();
  }

  private static Settings settings(Map<Setting, String> more) {
    Map<Setting, String> settings = new HashMap<>();
    settings.put(NotificationSetting.KAFKA_SERVERS, kafka.address());
    settings.put(NotificationSetting.PROVIDER, "log");
    settings.putAll(more);
    return Capabilities.read(settings, database.environment(), Optional.empty());
  }

  /** Publishes a message to each of some users. */
  private static void publish(List<Integer> users) throws Exception {
    try (Producer<byte[], byte[]> producer = kafka.clients().producer(Duration.ofMinutes(3))) {
      for (int user : users) {
        producer
            .send(
                new ProducerRecord<>(
                    "sms-outbound",
                    Integer.toString(user).getBytes(StandardCharsets.UTF_8),
                    (user + ": hello").getBytes(StandardCharsets.UTF_8)))
            .get();
      }
    }
  }

  /** Returns all that is answered until the connection ends, which it may do too early. */
  private static String raw(int port, String request) {
    StringBuilder answer = new StringBuilder();
    Waiting.until(
        "an answer",
        () -> {
          try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            answer.append(
                new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
          } catch (SocketException e) {
            return false;
          }
          return !answer.isEmpty();
        });
    return answer.toString();
  }
}
