package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.faults.Waiting;
import dev.weir.server.http.Http;
import dev.weir.server.limits.node.LimitSetting;
import dev.weir.server.wiring.TestNode;
import dev.weir.store.tck.internal.FreePort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A service behind a real proxy that asks Weir, with the client key of the files in deploy. */
final class ProxiedService {
  static final String KEY = "one-of-the-client-keys";

  private static final int MAX_KEYS = 1_000;

  /** The keys that one rule may have. */
  private static final int SHARE = MAX_KEYS / 2;

  private static final int KEYS_OF_A_CHECK = 25;

  private final Path folder;
  private final HttpServer service;
  private final URI weir;
  private final Runnable stopWeir;
  private final int port = FreePort.find();
  private final int spare = FreePort.find();
  private final List<String> served = new CopyOnWriteArrayList<>();
  private Process proxy;

  /** How a proxy is started with a configuration. */
  interface Command {
    List<String> line(Path config) throws IOException;
  }

  /** With a whole node. */
  ProxiedService(Path folder) throws IOException {
    this(folder, node());
  }

  private ProxiedService(Path folder, Node node) throws IOException {
    this(folder, node.address(), node::close);
  }

  /** With a Weir whose clock stands: all requests arrive at the same time. */
  static ProxiedService withStandingClock(Path folder) throws IOException {
    TestNode.Served standing = TestNode.onClock(InstantSource.fixed(Instant.now()), KEY);
    return new ProxiedService(folder, standing.address(), standing::close);
  }

  private ProxiedService(Path folder, URI weir, Runnable stopWeir) throws IOException {
    this.folder = folder;
    this.weir = weir;
    this.stopWeir = stopWeir;
    service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    service.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          served.add(
              "%s %s%s"
                  .formatted(
                      exchange.getRequestMethod(),
                      exchange.getRequestURI(),
                      body.isEmpty() ? "" : " " + body));
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write(new byte[] {'o', 'k'});
          exchange.close();
        });
    service.start();
  }

  private static Node node() {
    return TestNode.inMemory(
        Map.of(
            ServerSetting.TRUSTED_PROXIES,
            "127.0.0.1",
            ServerSetting.CLIENT_KEYS,
            KEY,
            LimitSetting.MAX_KEYS,
            Integer.toString(MAX_KEYS)));
  }

  /** A file of deploy, with the addresses of this test. */
  String deployed(String file) throws IOException {
    return Files.readString(Path.of("..", "deploy", file))
        .replace("127.0.0.1:8080", "127.0.0.1:" + weir.getPort())
        .replace("127.0.0.1:9000", "127.0.0.1:" + service.getAddress().getPort())
        .replace("127.0.0.1:8000", "127.0.0.1:" + port);
  }

  /** Starts the proxy and waits until it listens. */
  ProxiedService behind(String file, String config, Command command) throws IOException {
    Path written = Files.writeString(folder.resolve(file), config);
    Path log = folder.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(command.line(written))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    // Where some of them keep their own files.
    builder.environment().putAll(Map.of("HOME", folder.toString()));
    proxy = builder.start();
    Waiting.until(
        "the proxy to listen",
        () -> {
          if (!proxy.isAlive()) {
            throw new IOException("the proxy did not start: " + Files.readString(log));
          }
          try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
          } catch (ConnectException e) {
            return false;
          }
        });
    return this;
  }

  int port() {
    return port;
  }

  /** Another port for the proxy. */
  int spare() {
    return spare;
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** A client of the proxy. */
  Http front() {
    return new Http(address());
  }

  /** The requests that the service received: method, target and body. */
  List<String> served() {
    return served;
  }

  void rule(String more) {
    Http.Answer made =
        new Http(weir)
            .post(
                "/api/admin/rules",
                "{'name':'orders','pathPattern':'/api/orders/**','windowSeconds':3600,%s}"
                    .formatted(more)
                    .replace('\'', '"'));
    assertThat(made.status()).as(made.text()).isEqualTo(201);
  }

  /** From now on Weir has no room for another key of the rule, and cannot decide about it. */
  void fillStore() {
    Http client = new Http(weir).with("Authorization", "Bearer " + KEY);
    for (int from = 0; from < SHARE; from += KEYS_OF_A_CHECK) {
      String all =
          IntStream.range(from, from + KEYS_OF_A_CHECK)
              .mapToObj("{\"rule\":\"orders\",\"key\":\"k%d\"}"::formatted)
              .collect(Collectors.joining(","));
      client.post("/api/v1/check", "{\"all\":[%s]}".formatted(all)).ok();
    }
  }

  /** From now on there is no Weir. */
  void stopWeir() {
    stopWeir.run();
  }

  void close() throws InterruptedException {
    if (proxy != null) {
      proxy.destroy();
      if (!proxy.waitFor(2, TimeUnit.MINUTES)) {
        proxy.destroyForcibly().waitFor();
      }
    }
    service.stop(0);
    stopWeir();
  }
}
