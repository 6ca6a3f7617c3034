package dev.weir.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.server.cli.SettingsCommand;
import dev.weir.server.envoy.node.EnvoySetting;
import dev.weir.server.operations.node.OperationsCapability;
import dev.weir.server.operations.node.OperationsSetting;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class SettingsTest {
  @TempDir private Path folder;

  @Test
  void theCommandLineWinsOverTheEnvironmentAndThatOverTheFile() throws IOException {
    Path file = file("weir.port=1\nweir.host=file\nweir.drain=PT1S\n");
    Settings settings =
        Capabilities.read(
            Map.of(ServerSetting.PORT, "3"),
            Map.of("WEIR_PORT", "2", "WEIR_HOST", "environment"),
            Optional.of(file));
    assertThat(settings.text(ServerSetting.PORT)).isEqualTo("3");
    assertThat(settings.text(ServerSetting.HOST)).isEqualTo("environment");
    assertThat(settings.text(ServerSetting.DRAIN)).isEqualTo("PT1S");
    assertThat(settings.text(ServerSetting.LOG_LEVEL)).isEqualTo("info");
  }

  @Test
  void whatIsBlankIsNotGiven() throws IOException {
    Path file = file("weir.host=\nweir.port = 1 \n");
    Settings settings =
        Capabilities.read(
            Map.of(ServerSetting.PORT, "", ServerSetting.DRAIN, " "),
            Map.of("WEIR_PORT", " ", "WEIR_HOST", ""),
            Optional.of(file));
    assertThat(settings.text(ServerSetting.HOST)).isEqualTo("127.0.0.1");
    assertThat(settings.text(ServerSetting.PORT)).isEqualTo("1");
    assertThat(settings.text(ServerSetting.DRAIN)).isEqualTo("PT20S");
  }

  @Test
  void aFileThatCannotBeUsedIsNamed() throws IOException {
    refuses(file("weir.prot=1"), "weir.prot", "is not known");
    refuses(file("port=1"), "port", "is not known");
    refuses(file("weir.port=\\u00zz"), "the settings file", "cannot be read");
    refuses(folder.resolve("missing.properties"), "the settings file", "missing.properties");
    refuses(folder, "the settings file", "cannot be read");
  }

  @Test
  void messagesAboutAFileNameNoJavaClass() throws IOException {
    Path notText = Files.write(folder.resolve("bytes"), new byte[] {(byte) 0xff});
    for (Path file : List.of(folder, folder.resolve("missing"), notText)) {
      assertThatThrownBy(() -> Capabilities.read(Map.of(), Map.of(), Optional.of(file)))
          .isInstanceOf(InvalidSettingException.class)
          .message()
          .contains(file.toString())
          .doesNotContain("Exception", "java.");
    }
  }

  @Test
  void aNameThatIsNotKnownIsRefusedWithTheNearestOne() throws IOException {
    refusesVariable("WEIR_PROT", "WEIR_PORT");
    refusesVariable("WEIR_ADMINTOKEN", "WEIR_ADMIN_TOKEN");
    refusesVariable("WEIR_LIMIT_STORE", "WEIR_LIMITS_STORE");
    refusesVariable("WEIR_DB_PASSWORT", "WEIR_DB_PASSWORD");
    refuses(file("weir.limit.store=redis"), "weir.limit.store", "did you mean weir.limits.store?");
  }

  @Test
  void settingsOfOtherSystemsAreAnsweredByWhatTheyAreCalledHere() throws IOException {
    answers("rate-limiter.config-cache-ttl", "called weir.slots.cache-ttl");
    answers("rate-limiter.default-config-name", "called weir.slots.default-name");
    answers("rate-limiter.window.size-secs", "called windowSize, a field of a configuration");
    answers("rate-limiter.windowSizeSeconds", "called windowSize, a field of a configuration");
    answers("rate-limiter.max-per-window", "called maxPerWindow, a field of a configuration");
    answers("ratelimiter.maxEventsPerWindow", "called maxPerWindow, a field of a configuration");
    answers("rate_limiter.jitter.enabled", "called spread, a field of a configuration");
    answers("rate-limiter.cleanup.interval", "called weir.slots.upkeep-every");
    answers("rate-limiter.cleanup.older-than", "called weir.slots.retention");
    answers("rate-limiter.headroom-windows", "there is none. Windows have no rows");
    answers("rate-limiter.max-search-chunks", "there is none. The earliest free window is found");
    answers("rate-limiter.skip-locked", "there is none. No window is locked");
    answers("rate-limiter.colour", "docs/adoption.md");
  }

  private void answers(String key, String answer) throws IOException {
    Path file = file(key + "=hunter2");
    assertThatThrownBy(() -> Capabilities.read(Map.of(), Map.of(), Optional.of(file)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith(key + " in " + file + " is not known: ")
        .message()
        .contains(answer)
        .doesNotContain("did you mean", "hunter2")
        .hasLineCount(1);
  }

  /** A setting that an answer names would otherwise be outdated by the first new name. */
  @Test
  void whatAnswersToOtherSystemsNameExists() throws IOException {
    List<String> known = Capabilities.settings().stream().map(Setting::key).toList();
    for (String words :
        List.of(
            "cache",
            "default-name",
            "grace",
            "reclaim",
            "purge-cron",
            "retention",
            "batch",
            "pool",
            "jdbc-url",
            "db-user",
            "password",
            "timeout")) {
      Path file = file("rate-limiter." + words + "=1");
      assertThatThrownBy(() -> Capabilities.read(Map.of(), Map.of(), Optional.of(file)))
          .message()
          .satisfies(
              message ->
                  assertThat(message.replaceAll(".*it is called ([a-z.-]+);.*", "$1")).isIn(known));
    }
  }

  private static void refusesVariable(String name, String nearest) {
    assertThatThrownBy(() -> Capabilities.read(Map.of(), Map.of(name, "hunter2"), Optional.empty()))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith("the variable " + name + " is not known; did you mean " + nearest)
        .message()
        .doesNotContain("hunter2")
        .hasLineCount(1);
  }

  @Test
  void variablesOfOthersMeanNothing() {
    Settings settings =
        Capabilities.read(
            Map.of(),
            Map.of(
                "WEIR_JAVA_OPTS", "-Xmx1g",
                "WEIR_SETTINGS", "weir.properties",
                "WEIR_TOKEN", "x",
                "WEIR_TEST_ENVOY", "/usr/bin/envoy",
                "WEIR_TYPO", " ",
                "WEIRD", "x",
                "PATH", "/bin"),
            Optional.empty());
    assertThat(settings.text(ServerSetting.PORT)).isEqualTo("8080");
  }

  /** What Kubernetes puts into every container where services are named weir and weir-grpc. */
  @Test
  void variablesOfKubernetesServicesMeanNothing() {
    Map<String, String> services = new HashMap<>();
    for (String service : List.of("WEIR", "WEIR_GRPC")) {
      services.put(service + "_SERVICE_HOST", "10.0.0.1");
      services.put(service + "_SERVICE_PORT", "8080");
      services.put(service + "_SERVICE_PORT_HTTP", "8080");
      services.put(service + "_PORT", "tcp://10.0.0.1:8080");
      services.put(service + "_PORT_8080_TCP", "tcp://10.0.0.1:8080");
      services.put(service + "_PORT_8080_TCP_PROTO", "tcp");
      services.put(service + "_PORT_8080_TCP_PORT", "8080");
      services.put(service + "_PORT_8080_TCP_ADDR", "10.0.0.1");
    }
    services.put("WEIR_HOST", "127.0.0.2");
    Settings settings = Capabilities.read(Map.of(), services, Optional.empty());
    assertThat(settings.text(ServerSetting.PORT)).isEqualTo("8080");
    assertThat(settings.text(EnvoySetting.PORT)).isEmpty();
    assertThat(settings.text(ServerSetting.HOST)).isEqualTo("127.0.0.2");
  }

  @Test
  void everySettingIsListed() {
    StringWriter out = new StringWriter();
    int code = new CommandLine(new SettingsCommand()).setOut(new PrintWriter(out)).execute();
    assertThat(code).isZero();
    assertThat(out.toString().lines()).hasSize(Capabilities.settings().size());
    for (Setting setting : Capabilities.settings()) {
      assertThat(out.toString()).contains(setting.key(), setting.variable(), setting.description());
    }
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("weir.properties"), text);
  }

  @Test
  void metricsAreNotServedInPlaceOfSomethingElse() {
    for (String path : List.of("q/metrics", "/", "/q/", "/a b", "/{path}", "/../q", "/q?x=1")) {
      refusesMetricsAt(path, "must be a path");
    }
    for (String path : List.of("/metrics", "/api/v1/slots", "/ui/app.js", "/health/live")) {
      refusesMetricsAt(path, "must not begin with");
    }
  }

  private static void refusesMetricsAt(String path, String message) {
    Settings settings =
        Capabilities.read(
            Map.of(OperationsSetting.METRICS_ALSO_AT, path), Map.of(), Optional.empty());
    assertThatThrownBy(() -> new OperationsCapability().configure(settings))
        .as(path)
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContainingAll("weir.metrics.also-at", message);
  }

  private static void refuses(Path file, String... words) {
    assertThatThrownBy(() -> Capabilities.read(Map.of(), Map.of(), Optional.of(file)))
        .isInstanceOf(InvalidSettingException.class)
        .message()
        .contains(words)
        .hasLineCount(1);
  }
}
