package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.settings.ServerSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.faults.Programs;
import dev.weir.server.faults.Waiting;
import dev.weir.server.gateway.node.GatewaySetting;
import dev.weir.server.http.Http;
import dev.weir.server.http.RawHttp;
import dev.weir.server.wiring.TestNode;
import dev.weir.store.tck.internal.FreePort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Hostile paths through the gateway and a real nginx: what reaches the service is read by no parser
 * as a path whose limit is used up.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostilePathsIT {
  private static final long SEED = 28;
  private static final int PATHS = 300;

  /** What programs disagree about, and the two names that it is about. */
  private static final List<String> PARTS =
      List.of(
          "/",
          "/",
          "//",
          "free",
          "free",
          "login",
          "login",
          "..",
          ".",
          ";",
          ";x=1",
          "%2f",
          "%2F",
          "%5c",
          "%252f",
          "%255c",
          "%2e",
          "%252e",
          "%25",
          "2f",
          "%3b",
          "%3f",
          "%23",
          "%6cogin",
          "%256cogin",
          "\\",
          "?",
          "%00",
          "%c0%af",
          "%c3%a9",
          "+",
          "@",
          ":");

  /** Those of the third hunt, and others that were refused before. */
  private static final List<String> KNOWN =
      List.of(
          "/free;%2f..%2flogin",
          "/free;%5c..%5clogin",
          "/free;%252f..%252flogin",
          "/free%252f..%252flogin",
          "/free/..;/login",
          "/free%2f..%2flogin",
          "//free/login",
          "/.//free/login",
          "//login",
          "/%256cogin",
          "/login;x",
          "/;x/login",
          "http://free/login",
          "http://free\\login",
          "/free/../login");

  @TempDir private Path folder;
  private final List<Process> proxies = new ArrayList<>();
  private TestUpstream service;
  private Node node;

  @BeforeEach
  void start() throws IOException {
    service = TestUpstream.friendly();
    node =
        TestNode.inMemory(
            Map.of(
                GatewaySetting.PORT, "0",
                GatewaySetting.ROUTES, "/** = " + service.address(),
                ServerSetting.TRUSTED_PROXIES, "127.0.0.1"));
    Http http = new Http(node.address());
    assertThat(
            http.post(
                    "/api/admin/rules",
                    "{\"name\":\"logins\",\"pathPattern\":\"/login/**\",\"allowedRequests\":1,"
                        + "\"windowSeconds\":86400}")
                .status())
        .isEqualTo(201);
    assertThat(status(node.address("gateway").orElseThrow(), "/login")).isEqualTo(200);
    assertThat(status(node.address("gateway").orElseThrow(), "/login")).isEqualTo(429);
    service.heads().clear();
  }

  @AfterEach
  void stop() throws IOException, InterruptedException {
    for (Process proxy : proxies) {
      proxy.destroy();
      if (!proxy.waitFor(2, TimeUnit.MINUTES)) {
        proxy.destroyForcibly().waitFor();
      }
    }
    node.close();
    service.close();
  }

  @Test
  void noPathThatPassesIsReadAsOneWhoseLimitIsUsedUp() throws Exception {
    Map<String, URI> ways = new LinkedHashMap<>();
    ways.put("the gateway", node.address("gateway").orElseThrow());
    if (Programs.isInstalled("nginx")) {
      ways.put("nginx", nginx("proxy_pass http://service;"));
      ways.put("nginx that resolves", nginx("proxy_pass http://service/;"));
    }
    Map<String, Set<String>> passedBy = new LinkedHashMap<>();
    for (Map.Entry<String, URI> way : ways.entrySet()) {
      service.heads().clear();
      for (String path : hostilePaths()) {
        status(way.getValue(), path);
      }
      Set<String> passed =
          service.heads().stream()
              .map(head -> head.lines().findFirst().orElseThrow().split(" ", 3)[1])
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(passed).as(way.getKey()).hasSizeGreaterThan(20);
      passedBy.put(way.getKey(), passed);
    }
    // At once, because some of the parsers are programs that take long to start.
    Set<String> all =
        passedBy.values().stream()
            .flatMap(Set::stream)
            .collect(Collectors.toCollection(TreeSet::new));
    for (PathParsers parser : PathParsers.values()) {
      Map<String, List<String>> read = parser.read(all, folder);
      passedBy.forEach(
          (way, passed) ->
              passed.stream()
                  .filter(read::containsKey)
                  .forEach(
                      target ->
                          assertThat(read.get(target))
                              .as("%s reads %s behind %s", parser, target, way)
                              .noneMatch(path -> path.matches("/*login(/.*)?"))));
    }
  }

  /** Otherwise the test above would prove nothing. */
  @Test
  void theParsersDisagree() throws Exception {
    for (PathParsers parser : PathParsers.values()) {
      Map<String, List<String>> read = parser.read(Set.of("/login", "/free"), folder);
      if (!read.isEmpty()) {
        assertThat(read.get("/login")).as(parser.name()).contains("/login");
        assertThat(read.get("/free")).as(parser.name()).containsOnly("/free");
      }
    }
    assertThat(PathParsers.JAVA_URI.read(Set.of("/free;%2f..%2flogin"), folder).values())
        .containsExactly(List.of("/login"));
    assertThat(PathParsers.SERVLET.read(Set.of("/free;%2f..%2flogin"), folder).values())
        .containsExactly(List.of("/free"));
  }

  private static List<String> hostilePaths() {
    List<String> paths = new ArrayList<>(KNOWN);
    Random random = new Random(SEED);
    while (paths.size() < PATHS) {
      StringBuilder path = new StringBuilder("/");
      for (int parts = 2 + random.nextInt(6); parts > 0; parts--) {
        path.append(PARTS.get(random.nextInt(PARTS.size())));
      }
      paths.add(path.toString());
    }
    return paths;
  }

  private static int status(URI front, String target) throws IOException {
    String answer =
        RawHttp.exchange(
            front, "GET %s HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n".formatted(target));
    return answer.isEmpty() ? 0 : Integer.parseInt(answer.split(" ", 3)[1]);
  }

  /** Starts a real nginx with the file in deploy, which asks Weir about each request. */
  private URI nginx(String proxyPass) throws IOException {
    int port = FreePort.find();
    Path home = Files.createDirectory(folder.resolve("nginx-" + port));
    StringBuilder temporary = new StringBuilder("http {\n  access_log off;\n");
    for (String kind : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
      temporary.append("  %s_temp_path %s/%s;\n".formatted(kind, home, kind));
    }
    Path config =
        Files.writeString(
            home.resolve("nginx.conf"),
            Files.readString(Path.of("..", "deploy", "nginx.conf"))
                .replace("127.0.0.1:8080", "127.0.0.1:" + node.address().getPort())
                .replace("127.0.0.1:9000", "127.0.0.1:" + service.port())
                .replace("127.0.0.1:8000", "127.0.0.1:" + port)
                .replace("proxy_pass http://service;", proxyPass)
                .replace("http {", temporary));
    Path log = home.resolve("log");
    Process proxy =
        new ProcessBuilder(
                Programs.find("nginx").orElseThrow().toString(),
                "-p",
                home.toString(),
                "-c",
                config.toString(),
                "-e",
                "stderr",
                "-g",
                "daemon off; master_process off; pid " + home.resolve("pid") + ";")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    proxies.add(proxy);
    Waiting.until(
        "nginx to listen",
        () -> {
          if (!proxy.isAlive()) {
            throw new IOException("nginx did not start: " + Files.readString(log));
          }
          try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
          } catch (ConnectException e) {
            return false;
          }
        });
    return URI.create("http://127.0.0.1:" + port);
  }
}
