package dev.weir.server.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import dev.weir.server.gateway.node.GatewaySetting;
import dev.weir.server.http.Http;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An entity tag of a version that a restore has lost does not match the version that follows. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class RestoredTagsIT {
  private static final String RULE =
      "{\"name\":\"api\",\"allowedRequests\":%d,\"windowSeconds\":60}";
  private static final String ROUTE =
      "{\"pathPattern\":\"/a/**\",\"upstream\":\"http://127.0.0.1:%d\"}";
  private static final String CONFIG =
      "{\"configName\":\"calls\",\"maxPerWindow\":%d,\"windowSize\":\"PT1S\"}";
  private static final String CONFIGS = "/admin/rate-limit/config";

  @TempDir private Path folder;

  private Node start() {
    return Node.start(
        Capabilities.read(
            Map.of(
                ServerSetting.PORT, "0",
                GatewaySetting.PORT, "0",
                ServerSetting.DRAIN, "PT0S",
                StoreSetting.DB_WAIT, "PT2M",
                StoreSetting.DATA, folder.resolve("data").toString()),
            Map.of(),
            Optional.empty()));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  @Test
  void tagsOfLostVersionsMatchNothing() throws IOException {
    String rule;
    String route;
    try (Node node = start()) {
      Http http = new Http(node.address());
      rule = http.post("/api/admin/rules", RULE.formatted(1)).header("location").orElseThrow();
      route = http.post("/api/admin/routes", ROUTE.formatted(1)).header("location").orElseThrow();
      assertThat(http.post(CONFIGS, CONFIG.formatted(1)).status()).isEqualTo(201);
    }
    copy(folder.resolve("data"), folder.resolve("backup"));
    List<String> lost;
    try (Node node = start()) {
      lost = change(new Http(node.address()), rule, route, 2);
    }
    Files.move(folder.resolve("data"), folder.resolve("lost"));
    Files.move(folder.resolve("backup"), folder.resolve("data"));

    try (Node node = start()) {
      Http http = new Http(node.address());
      List<String> tags = change(http, rule, route, 3);

      http.with("If-Match", lost.get(0)).put(rule, RULE.formatted(4)).problem(412, "rule-changed");
      http.with("If-Match", lost.get(0)).delete(rule).problem(412, "rule-changed");
      http.with("If-Match", lost.get(1))
          .put(route, ROUTE.formatted(4))
          .problem(412, "route-changed");
      http.with("If-Match", lost.get(2))
          .post(CONFIGS, CONFIG.formatted(4))
          .problem(412, "config-changed");
      http.with("If-Match", tags.get(0)).put(rule, RULE.formatted(4)).ok();
      http.with("If-Match", tags.get(1)).put(route, ROUTE.formatted(4)).ok();
      assertThat(
              http.with("If-Match", tags.get(2))
                  .post(CONFIGS, CONFIG.formatted(4))
                  .intAt("version"))
          .isEqualTo(3);
    }
  }

  /** Makes the second versions; returns their tags. */
  private static List<String> change(Http http, String rule, String route, int number) {
    Http.Answer changedRule = http.put(rule, RULE.formatted(number)).ok();
    Http.Answer changedRoute = http.put(route, ROUTE.formatted(number)).ok();
    Http.Answer changedConfig = http.post(CONFIGS, CONFIG.formatted(number));
    List<Http.Answer> changed = List.of(changedRule, changedRoute, changedConfig);
    assertThat(changed).allSatisfy(answer -> assertThat(answer.intAt("version")).isEqualTo(2));
    return changed.stream().map(answer -> answer.header("etag").orElseThrow()).toList();
  }
}
