package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operations, dashboard and alert rules name the settings and metrics that there are. */
final class OperationsDocIT {
  private static final Pattern METRIC =
      Pattern.compile("(?m)^# TYPE (?!jvm_|process_)(\\w+) (\\w+)$");

  @Test
  void itsTableOfSettingsIsComplete() throws IOException {
    List<List<String>> expected =
        Capabilities.settings().stream()
            .map(
                setting ->
                    List.of(
                        "`" + setting.key() + "`",
                        "`" + setting.variable() + "`",
                        setting.defaultValue().isEmpty()
                            ? "none"
                            : "`" + setting.defaultValue() + "`",
                        setting.description()))
            .toList();
    assertThat(Prose.read("docs/operations.md").table("setting")).isEqualTo(expected);
  }

  @Test
  void itsTableOfMetricsIsComplete(@TempDir Path folder) throws Exception {
    Map<String, String> exposed = metrics(folder);
    Map<String, String> listed =
        Prose.read("docs/operations.md").table("metric").stream()
            .collect(Collectors.toMap(row -> row.get(0).replace("`", ""), row -> row.get(1)));
    assertThat(listed).isEqualTo(exposed);
    for (String file : List.of("deploy/grafana-dashboard.json", "deploy/prometheus-rules.yaml")) {
      assertThat(families(Files.readString(Prose.ROOT.resolve(file))))
          .as(file)
          .isNotEmpty()
          .isSubsetOf(exposed.keySet());
    }
  }

  /** Name to kind of every metric that is ours. */
  private static Map<String, String> metrics(Path folder) throws Exception {
    try (Node node =
        Node.start(
            Capabilities.read(
                Map.of(
                    ServerSetting.PORT,
                    "0",
                    StoreSetting.DATA,
                    folder.toString(),
                    // Only a database that is gone takes so long, on however busy a machine.
                    StoreSetting.DB_WAIT,
                    "PT1M",
                    ServerSetting.DRAIN,
                    "PT0S"),
                Map.of(),
                Optional.empty()))) {
      String text =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(node.address().resolve("/metrics")).build(),
                  BodyHandlers.ofString())
              .body();
      return METRIC
          .matcher(text)
          .results()
          .collect(Collectors.toMap(line -> line.group(1), line -> line.group(2)));
    }
  }

  /** The metrics that a text speaks of, without what a histogram adds to its name. */
  private static Set<String> families(String text) {
    return Pattern.compile("rate_limiter_\\w+")
        .matcher(text)
        .results()
        .map(found -> found.group().replaceFirst("_(bucket|count|sum)$", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
