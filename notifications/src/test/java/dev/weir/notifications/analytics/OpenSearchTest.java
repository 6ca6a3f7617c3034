package dev.weir.notifications.analytics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The client against servers that behave as OpenSearch never would. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OpenSearchTest {
  private static final String PASSWORD = "hunter2-hunter2";
  private static final Duration MAX_WAIT = Duration.ofMinutes(2);
  private static final InetSocketAddress FREE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final List<String> authorizations = new ArrayList<>();
  private final List<HttpServer> servers = new ArrayList<>();
  @TempDir private Path folder;

  @AfterEach
  void stop() {
    servers.forEach(server -> server.stop(0));
  }

  @Test
  void sendsPasswordsAndKeysAndNamesThemNowhere() throws IOException {
    URI url = serve(exchange -> answer(exchange, 503, "{\"error\":{\"type\":\"busy\"}}"));
    for (OpenSearchSettings settings :
        List.of(settings(url).withPassword("weir", PASSWORD), settings(url).withApiKey(PASSWORD))) {
      try (OpenSearch search = new OpenSearch(settings)) {
        assertThatThrownBy(() -> search.call("GET", "/", ""))
            .isInstanceOf(OpenSearchException.class)
            .hasMessage("OpenSearch at %s answers with status 503, busy", url)
            .hasMessageNotContaining(PASSWORD);
        assertThat(settings.toString() + search).doesNotContain(PASSWORD);
      }
    }
    assertThat(authorizations)
        .containsExactly("Basic d2VpcjpodW50ZXIyLWh1bnRlcjI=", "ApiKey " + PASSWORD);
  }

  @Test
  void anAddressWithAPasswordIsRefused() {
    assertThatThrownBy(
            () -> OpenSearchSettings.of(URI.create("http://weir:" + PASSWORD + "@localhost:9200")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining(PASSWORD);
  }

  @Test
  void anAnswerThatIsTooLargeOrNoJsonIsAFailure() throws IOException {
    URI large = serve(exchange -> answer(exchange, 200, "[" + " ".repeat(17 << 20) + "]"));
    URI text = serve(exchange -> answer(exchange, 200, "<html>"));
    for (URI url : List.of(large, text)) {
      try (OpenSearch search = new OpenSearch(settings(url))) {
        assertThatThrownBy(() -> search.call("GET", "/", ""))
            .isInstanceOf(OpenSearchException.class);
      }
    }
  }

  @Test
  void anAnswerThatIsNotOneToTheQuestionIsNoEmptyAnswer() throws IOException {
    String none = "{\"timed_out\":false,\"_shards\":{\"total\":0,\"failed\":0}}";
    assertThat(ask(none, Analytics::topUsers).users()).isEmpty();
    assertThat(ask(none, Analytics::peaks)).isEmpty();
    String shards = "\"_shards\":{\"total\":1,\"failed\":0}";
    for (String answer :
        List.of(
            "{}",
            "[]",
            "null",
            "{\"_shards\":{}}",
            "{\"_shards\":{\"total\":1}}",
            "{" + shards + "}",
            "{" + shards + ",\"aggregations\":{}}",
            "{" + shards + ",\"aggregations\":{\"users\":[],\"minutes\":[]}}",
            "{" + shards + ",\"aggregations\":{\"users\":{},\"minutes\":{}}}",
            "{" + shards + "," + inBuckets("{}") + "}",
            "{" + shards + "," + inBuckets("{\"key\":\"a\",\"doc_count\":1}") + "}",
            "{" + shards + "," + inBuckets("{\"key\":1,\"doc_count\":1}") + "}")) {
      for (Question<?> question :
          List.<Question<?>>of(Analytics::topUsers, Analytics::limited, Analytics::peaks)) {
        assertThatThrownBy(() -> ask(answer, question))
            .as(answer)
            .isInstanceOfSatisfying(
                OpenSearchException.class, e -> assertThat(e.isUnexpectedAnswer()).isTrue());
      }
    }
  }

  private static String inBuckets(String bucket) {
    return "\"aggregations\":{\"users\":{\"doc_count_error_upper_bound\":0,\"buckets\":[%1$s]},\"minutes\":{\"buckets\":[%1$s]}}"
        .formatted(bucket);
  }

  private interface Question<T> {
    T ask(Analytics analytics, TimeRange range, int max);
  }

  private <T> T ask(String answer, Question<T> question) throws IOException {
    URI url = serve(exchange -> answer(exchange, 200, answer));
    try (OpenSearch search = new OpenSearch(settings(url))) {
      return question.ask(
          new Analytics(search), new TimeRange(Instant.EPOCH, Instant.EPOCH.plusSeconds(60)), 5);
    }
  }

  /** The head of the answer comes in time, its end never does. */
  @Test
  void anAnswerThatNeverEndsIsAFailure() throws IOException {
    CountDownLatch release = new CountDownLatch(1);
    URI url =
        serve(
            exchange -> {
              exchange.sendResponseHeaders(200, 100);
              exchange.getResponseBody().write('{');
              exchange.getResponseBody().flush();
              try {
                release.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    OpenSearchSettings settings = settings(url).withTimeout(Duration.ofMillis(300));
    try (OpenSearch search = new OpenSearch(settings)) {
      assertThatThrownBy(() -> search.call("GET", "/", ""))
          .isInstanceOf(OpenSearchException.class)
          // On a busy machine, the head of the answer does not come in time either.
          .hasMessageFindingMatch("PT0\\.3S|timed out");
    } finally {
      release.countDown();
    }
  }

  @Test
  void trustsOnlyTheCertificatesOfItsFile() throws Exception {
    Path store = folder.resolve("store.p12");
    Path certificate = folder.resolve("cert.pem");
    keytool(
        "-genkeypair -keyalg EC -alias a -dname CN=localhost -ext san=dns:localhost -validity 2"
            + " -storetype PKCS12 -storepass %s -keystore %s".formatted(PASSWORD, store));
    keytool(
        "-exportcert -rfc -alias a -storepass %s -keystore %s -file %s"
            .formatted(PASSWORD, store, certificate));
    HttpsServer server = HttpsServer.create(FREE, 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls(store)));
    server.createContext("/", exchange -> answer(exchange, 200, "{\"tagline\":\"hello\"}"));
    server.start();
    servers.add(server);
    OpenSearchSettings settings =
        settings(URI.create("https://localhost:" + server.getAddress().getPort()));
    try (OpenSearch trusting = new OpenSearch(settings.withTrust(certificate));
        OpenSearch other = new OpenSearch(settings)) {
      assertThat(trusting.call("GET", "/", "").at("tagline").text()).contains("hello");
      assertThatThrownBy(() -> other.call("GET", "/", "")).isInstanceOf(OpenSearchException.class);
    }
    Path none = Files.writeString(folder.resolve("none.pem"), "no certificate");
    assertThatThrownBy(() -> settings.withTrust(none)).isInstanceOf(IllegalArgumentException.class);
  }

  private static SSLContext tls(Path store) throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }

  private static void keytool(String arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    // A JVM for a moment: with its usual compilers and collector it takes twice the processor time.
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    command.addAll(List.of(arguments.split(" ", -1)));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  private static OpenSearchSettings settings(URI url) {
    return OpenSearchSettings.of(url).withTimeout(MAX_WAIT);
  }

  private URI serve(HttpHandler handler) throws IOException {
    HttpServer server = HttpServer.create(FREE, 0);
    server.createContext(
        "/",
        exchange -> {
          List<String> given = exchange.getRequestHeaders().get("Authorization");
          if (given != null) {
            authorizations.addAll(given);
          }
          handler.handle(exchange);
        });
    server.start();
    servers.add(server);
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
