package dev.weir.server.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.weir.server.faults.Waiting;
import dev.weir.server.wiring.Node;
import dev.weir.server.wiring.Setting;
import dev.weir.server.wiring.TestNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real nginx, with the configuration that is there to be copied, asks Weir. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class NginxIT {
  @TempDir private Path folder;

  private final List<String> served = new CopyOnWriteArrayList<>();
  private HttpServer service;
  private Node node;
  private Process nginx;
  private Http weir;
  private Http front;

  @BeforeEach
  void start() throws Exception {
    service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    service.createContext(
        "/",
        exchange -> {
          served.add(exchange.getRequestURI().toString());
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write(new byte[] {'o', 'k'});
          exchange.close();
        });
    service.start();
    node = TestNode.inMemory(Map.of(Setting.TRUSTED_PROXIES, "127.0.0.1"));
    weir = new Http(node.address());
    front = new Http(startNginx());
  }

  private URI startNginx() throws IOException {
    int port = freePort();
    Path config = folder.resolve("nginx.conf");
    Files.writeString(
        config,
        Files.readString(Path.of("../deploy/nginx.conf"))
            .replace("127.0.0.1:8080", "127.0.0.1:" + node.address().getPort())
            .replace("127.0.0.1:9000", "127.0.0.1:" + service.getAddress().getPort())
            .replace("127.0.0.1:8000", "127.0.0.1:" + port)
            .replace("http {", "http {\n  access_log off;\n" + temporaryFolders()));
    nginx =
        new ProcessBuilder(
                program(),
                "-p",
                folder.toString(),
                "-c",
                config.toString(),
                "-e",
                "stderr",
                "-g",
                "daemon off; master_process off; pid " + folder.resolve("pid") + ";")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    awaitListening(port);
    return URI.create("http://127.0.0.1:" + port);
  }

  @AfterEach
  void stop() throws InterruptedException {
    nginx.destroy();
    if (!nginx.waitFor(10, TimeUnit.SECONDS)) {
      nginx.destroyForcibly();
    }
    service.stop(0);
    node.close();
  }

  private String temporaryFolders() {
    StringBuilder text = new StringBuilder();
    for (String kind : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
      text.append("  %s_temp_path %s/%s;\n".formatted(kind, folder, kind));
    }
    return text.toString();
  }

  /** It is not on everybody's path. */
  private static String program() {
    return Files.isExecutable(Path.of("/usr/sbin/nginx")) ? "/usr/sbin/nginx" : "nginx";
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void awaitListening(int port) {
    Waiting.until(
        "nginx to listen",
        () -> {
          if (!nginx.isAlive()) {
            throw new IOException(
                "nginx did not start: " + Files.readString(folder.resolve("log")));
          }
          try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
          } catch (ConnectException e) {
            return false;
          }
        });
  }

  private void rule(String more) {
    Http.Answer made =
        weir.post(
            "/api/admin/rules",
            ("{'name':'orders','pathPattern':'/api/orders/**','windowSeconds':60," + more + "}")
                .replace('\'', '"'));
    assertThat(made.status()).as(made.text()).isEqualTo(201);
  }

  @Test
  void whatRulesRefuseDoesNotReachTheService() {
    rule("'allowedRequests':1,'methods':['POST']");
    Http.Answer passed = front.post("/api/orders?x=1");
    assertThat(passed.status()).as(passed.text()).isEqualTo(200);
    assertThat(passed.text()).isEqualTo("ok");
    assertThat(passed.header("ratelimit-policy")).hasValue("\"orders\";q=1;w=60");
    Http.Answer refused = front.post("/api/orders");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.header("retry-after")).isPresent();
    assertThat(refused.header("content-type")).hasValue("application/problem+json");
    // Neither another spelling nor a made-up address helps.
    for (String path :
        List.of("//api/orders/", "/api/%6Frders", "/api/x/../orders", "/api%2Forders")) {
      assertThat(front.post(path).status()).as(path).isEqualTo(429);
    }
    assertThat(front.with("X-Forwarded-For", "1.2.3.4").post("/api/orders").status())
        .isEqualTo(429);
    assertThat(front.with("Forwarded", "for=1.2.3.4").post("/api/orders").status()).isEqualTo(429);
    assertThat(front.get("/api/orders").status()).isEqualTo(200);
    assertThat(served).containsExactly("/api/orders?x=1", "/api/orders");
  }

  @Test
  void ofEightAtOnceTwoWaitInNginx() throws Exception {
    // Long enough for all to have asked before the first wait is over, on a busy machine too.
    rule("'allowedRequests':3,'queueEnabled':true,'maxQueueSize':2,'delayPerRequestMs':3000");
    askAtOnce("/elsewhere");
    List<Http.Answer> answers = askAtOnce("/api/orders");
    assertThat(answers).filteredOn(answer -> answer.status() == 200).hasSize(5);
    assertThat(answers).filteredOn(answer -> answer.status() == 429).hasSize(3);
    assertThat(answers.stream().flatMap(answer -> answer.header("x-ratelimit-delay-ms").stream()))
        .containsExactlyInAnyOrder("3000", "6000");
    assertThat(served).filteredOn("/api/orders"::equals).hasSize(5);
  }

  /** Eight times; the second time all are connected already. */
  private List<Http.Answer> askAtOnce(String path) throws Exception {
    List<FutureTask<Http.Answer>> callers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      callers.add(new FutureTask<>(() -> front.get(path)));
    }
    callers.forEach(Thread.ofVirtual()::start);
    List<Http.Answer> answers = new ArrayList<>();
    for (FutureTask<Http.Answer> caller : callers) {
      answers.add(caller.get());
    }
    return answers;
  }
}
