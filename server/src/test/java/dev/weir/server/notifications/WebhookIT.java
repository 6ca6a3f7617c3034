package dev.weir.server.notifications;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.notifications.SignedRequests;
import dev.weir.notifications.server.node.NotificationSetting;
import dev.weir.server.faults.Database;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages to a webhook, what it reports of them, and replays of those that it rejected. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class WebhookIT {
  private static final String SECRET = "secret-of-the-webhook";
  private static final String RECEIPTS = "/api/messages/receipts";
  private static final String KEY = "key-of-a-client-or-two";

  private static HttpServer receiver;
  private static Database database;
  private static Node node;
  private static Http http;
  private static volatile int status = 200;

  @BeforeAll
  static void start(@TempDir Path folder) throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/sms", WebhookIT::receive);
    receiver.start();
    database = Database.start(folder.resolve("postgresql"));
    node =
        Node.start(
            Capabilities.read(
                Map.of(
                    ServerSetting.PORT,
                    "0",
                    StoreSetting.DATA,
                    folder.toString(),
                    ServerSetting.DRAIN,
                    "PT0S",
                    ServerSetting.CLIENT_KEYS,
                    KEY,
                    NotificationSetting.SEND_TIMEOUT,
                    "PT3M",
                    NotificationSetting.PROVIDER_TIMEOUT,
                    "PT1M",
                    NotificationSetting.PROVIDER,
                    "webhook",
                    NotificationSetting.WEBHOOK_URL,
                    "http://127.0.0.1:" + receiver.getAddress().getPort() + "/sms",
                    NotificationSetting.WEBHOOK_SECRET,
                    SECRET),
                database.environment(),
                Optional.empty()));
    http = new Http(node.address()).with("Authorization", "Bearer " + KEY);
    new Http(node.address())
        .post("/api/config", "{\"userId\":101,\"rateLimit\":1000,\"timeWindow\":5}")
        .ok();
  }

  @AfterAll
  static void stop() throws Exception {
    node.close();
    database.close();
    receiver.stop(0);
  }

  private static void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(status, -1);
    }
  }

  /** The receiver has no key of a client. */
  @Test
  void signedReceiptIsRecordedOnce() {
    String id = sent();
    assertThat(receipt(body(id, "delivered")).status()).isEqualTo(204);
    assertThat(state(id)).isEqualTo("delivered");
    assertThat(receipt(body(id, "delivered")).status()).isEqualTo(204);
    receipt(body(id, "failed")).problem(409, "receipt-contradicts");
    assertThat(state(id)).isEqualTo("delivered");
    String other = sent();
    String failed =
        "{\"messageId\":\"%s\",\"state\":\"failed\",\"reason\":\"no \\u0000 such %s\"}"
            .formatted(other, "number ".repeat(200));
    assertThat(receipt(failed).status()).isEqualTo(204);
    Http.Answer found = http.get("/api/messages/" + other).ok();
    assertThat(found.textAt("state")).isEqualTo("failed");
    assertThat(found.textAt("reason")).startsWith("no \ufffd such number").hasSize(500);
  }

  /** The receiver answered that it rejects the message, and delivered it after all. */
  @Test
  void receiptWinsOverTheRejectionAndNoReplaySendsTheMessageAgain() {
    status = 400;
    String id = send();
    Waiting.until("the rejection", () -> state(id).equals("failed"));
    status = 200;
    assertThat(receipt(body(id, "delivered")).status()).isEqualTo(204);
    assertThat(state(id)).isEqualTo("delivered");
    new Http(node.address()).post("/api/admin/messages/replay").ok();
    String next = sent();
    assertThat(state(id)).isEqualTo("delivered");
    assertThat(state(next)).isEqualTo("sent");
  }

  @Test
  void emptyReasonIsNone() {
    String id = sent();
    String body = "{\"messageId\":\"%s\",\"state\":\"failed\",\"reason\":\"\"}".formatted(id);
    assertThat(receipt(body).status()).isEqualTo(204);
    assertThat(http.get("/api/messages/" + id).ok().textAt("reason"))
        .isEqualTo("reported by webhook");
  }

  @Test
  void receiptThatIsNotSignedOrOldIsRefused() {
    String id = sent();
    String body = body(id, "delivered");
    Http plain = new Http(node.address());
    plain.post(RECEIPTS, body).problem(401, "signature-invalid");
    http.post(RECEIPTS, body).problem(401, "signature-invalid");
    signed("another-secret-altogether", Instant.now(), body)
        .post(RECEIPTS, body)
        .problem(401, "signature-invalid");
    signed(SECRET, Instant.now(), body)
        .post(RECEIPTS, body(id, "failed"))
        .problem(401, "signature-invalid");
    Instant old = Instant.now().minus(Duration.ofMinutes(6));
    signed(SECRET, old, body).post(RECEIPTS, body).problem(401, "signature-old");
    assertThat(state(id)).isEqualTo("sent");
  }

  @Test
  void receiptThatIsWrongSaysWhy() {
    String id = sent();
    receipt("{}").wrong("messageId", "state");
    receipt(body("1-1-1-1-1", "delivered")).wrong("messageId");
    receipt(body(id, "sent")).wrong("state");
    receipt(body(id, "DELIVERED")).wrong("state");
    receipt("{\"messageId\":\"%s\",\"state\":\"delivered\",\"reason\":\"x\"}".formatted(id))
        .wrong("reason");
    receipt("{\"messageId\":\"%s\",\"state\":\"failed\",\"at\":1}".formatted(id)).wrong("at");
    receipt("{").problem(400, "malformed-json");
    receipt(body(UUID.randomUUID().toString(), "delivered")).problem(404, "unknown-message");
    assertThat(state(id)).isEqualTo("sent");
  }

  /** Another session holds the lock, as another node that replays would. */
  @Test
  void ofTwoReplaysAtATimeOneIsRefused() throws Exception {
    status = 400;
    String id = send();
    Waiting.until("the rejection", () -> state(id).equals("failed"));
    status = 200;
    Http admin = new Http(node.address());
    try (Connection otherNode = database.connect();
        Statement statement = otherNode.createStatement()) {
      statement.execute("select pg_advisory_lock(x'7765697203'::bigint)");
      admin.post("/api/admin/messages/replay").problem(409, "replay-running");
      // PostgreSQL may notice the end of the session later than the test goes on.
      statement.execute("select pg_advisory_unlock(x'7765697203'::bigint)");
    }
    assertThat(admin.post("/api/admin/messages/replay").ok().intAt("replayed")).isEqualTo(1);
    Waiting.until("the second attempt", () -> state(id).equals("sent"));
    assertThat(admin.post("/api/admin/messages/replay").ok().intAt("replayed")).isZero();
  }

  private static String send() {
    return http.post("/api/send", "{\"userId\":101,\"message\":\"hello\"}")
        .ok()
        .textAt("messageId");
  }

  private static String sent() {
    String id = send();
    Waiting.until("the message to be sent", () -> state(id).equals("sent"));
    return id;
  }

  private static String state(String id) {
    return http.get("/api/messages/" + id).ok().textAt("state");
  }

  private static String body(String id, String state) {
    return "{\"messageId\":\"%s\",\"state\":\"%s\"}".formatted(id, state);
  }

  private static Http.Answer receipt(String body) {
    return signed(SECRET, Instant.now(), body).post(RECEIPTS, body);
  }

  private static Http signed(String secret, Instant at, String body) {
    SignedRequests requests = new SignedRequests("webhook", secret, InstantSource.fixed(at));
    String timestamp = requests.timestamp();
    return new Http(node.address())
        .with(
            SignedRequests.TIMESTAMP,
            timestamp,
            SignedRequests.SIGNATURE,
            requests.signature(timestamp, body.getBytes(StandardCharsets.UTF_8)));
  }
}
