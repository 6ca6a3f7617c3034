package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.TrustedProxies;
import dev.weir.node.capability.Capabilities;
import dev.weir.node.logging.LogSettings;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.node.wiring.Node;
import dev.weir.node.wiring.WebSettings;
import dev.weir.notifications.server.node.NotificationSetting;
import dev.weir.notifications.server.node.OperationsAddress;
import dev.weir.server.cli.UpCommand;
import dev.weir.server.envoy.node.EnvoySetting;
import dev.weir.server.gateway.node.GatewaySetting;
import dev.weir.server.slots.node.SlotSetting;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A setting that cannot be used stops the start, in one line that names it. */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class StartIT {
  @TempDir private Path folder;

  @Test
  void refusesWhatIsNoNumber() {
    refuses(ServerSetting.PORT, "abc", "-1", "65536", "1.5", "0x50", "99999999999");
    refuses(SlotSetting.LANES, "0", "65", "many");
    refuses(SlotSetting.MAX_BATCH, "0", "50001");
  }

  @Test
  void refusesWhatIsNoDuration() {
    refuses(ServerSetting.DRAIN, "soon", "20", "-PT1S", "P1D", "PT999999999999999H");
    refuses(SlotSetting.CACHE_TTL, "5s", "-PT1S", "P400D", "PT2562047788015215H");
    refuses(SlotSetting.UPKEEP_EVERY, "PT0S", "x", "P400D");
    refuses(SlotSetting.LEAK_GRACE, "-PT1S", "x", "P99999D");
    refuses(SlotSetting.RETENTION, "-P1D", "90 days", "P99999D");
  }

  @Test
  void refusesWhatIsNoChoice() {
    refuses(StoreSetting.SLOTS_STORE, "redis", "MEMORY");
    refuses(SlotSetting.RECLAIM, "yes", "1");
    refuses(SlotSetting.CREATE_DEFAULT, "maybe");
    refuses(ServerSetting.SLOTS_DEFAULT_NAME, "a b", "-x", "x".repeat(101), "ü");
    for (Setting setting : List.of(ServerSetting.LOG_FORMAT, ServerSetting.LOG_LEVEL)) {
      assertThatThrownBy(() -> LogSettings.apply(settings(Map.of(setting, "loud"))))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith(setting.key() + " must be one of");
    }
  }

  @Test
  void refusesToListenElsewhereWithoutAToken() {
    for (String host : List.of("0.0.0.0", "::", "0", "192.0.2.1", "[::]")) {
      assertThatThrownBy(() -> Node.start(settings(Map.of(ServerSetting.HOST, host))))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith(
              "weir.host may be " + host + " only if weir.admin-token or weir.oidc.issuer is set");
    }
    refuses(ServerSetting.HOST, "no.such.host.invalid", "a b", "127.0.0.1.1");
  }

  @Test
  void mayListenElsewhereWithATokenOrAnIssuer() {
    for (Setting door : List.of(ServerSetting.ADMIN_TOKEN, ServerSetting.OIDC_ISSUER)) {
      Settings settings =
          settings(Map.of(ServerSetting.HOST, "0.0.0.0", door, "https://login.example.com"));
      assertThat(WebSettings.of(settings, TrustedProxies.NONE).drainTimes().max()).isPositive();
    }
  }

  @Test
  void refusesToAllowAnonymousClientsBesideKeys() {
    refuses(
        Map.of(
            ServerSetting.ALLOW_ANONYMOUS_CLIENTS,
            "true",
            ServerSetting.CLIENT_KEYS,
            "hunter2hunter2hunter2"),
        ServerSetting.ALLOW_ANONYMOUS_CLIENTS);
    refuses(ServerSetting.ALLOW_ANONYMOUS_CLIENTS, "yes");
  }

  @Test
  void refusesAPortOfASenderForEveryoneWithoutACredential() {
    Map<Setting, String> port =
        Map.of(NotificationSetting.SENDER_PORT, "0", NotificationSetting.SENDER_HOST, "0.0.0.0");
    assertThatThrownBy(() -> OperationsAddress.of(settings(port)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith("weir.sender.host may be 0.0.0.0 only if");
  }

  @Test
  void refusesSecretsThatCanBeGuessed() {
    refuses(ServerSetting.ADMIN_TOKEN, "x", "hunter2hunter2x");
    refuses(ServerSetting.CLIENT_KEYS, "x", "hunter2hunter2hunter2, hunter2");
  }

  @Test
  void refusesIssuersThatOthersCouldFeign() {
    for (String issuer :
        List.of(
            "http://login.example.com",
            "login.example.com",
            "https://",
            "ftp://127.0.0.1",
            "http://127.0.0.1.example.com",
            "http://127.0.0.1@example.com",
            "https://weir:hunter2@login.example.com",
            "https://login.example.com?realm=one",
            "https://login example")) {
      refuses(
          Map.of(ServerSetting.OIDC_ISSUER, issuer, ServerSetting.OIDC_AUDIENCE, "weir"),
          ServerSetting.OIDC_ISSUER);
    }
    refuses(
        Map.of(ServerSetting.OIDC_ISSUER, "https://login.example.com"),
        ServerSetting.OIDC_AUDIENCE);
    refuses(Map.of(ServerSetting.OIDC_AUDIENCE, "weir"), ServerSetting.OIDC_AUDIENCE);
  }

  @Test
  void refusesAPortInUse() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      assertThatThrownBy(() -> Node.start(settings(Map.of(ServerSetting.PORT, port))))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessageStartingWith("weir.port " + port + " on 127.0.0.1 cannot be listened on")
          .message()
          .hasLineCount(1);
    }
  }

  @Test
  void refusesOnePortForTwo() throws IOException {
    Path data = folder.resolve("data");
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    String port = Integer.toString(free);
    List<Setting> all = List.of(ServerSetting.PORT, EnvoySetting.PORT, GatewaySetting.PORT);
    for (Setting one : all) {
      for (Setting other : all) {
        if (all.indexOf(one) < all.indexOf(other)) {
          Map<Setting, String> given =
              Map.of(
                  StoreSetting.SLOTS_STORE,
                  "postgresql",
                  StoreSetting.DATA,
                  data.toString(),
                  one,
                  port,
                  other,
                  port);
          assertThatThrownBy(() -> Node.start(settings(given)))
              .isInstanceOf(InvalidSettingException.class)
              .hasMessage(other.key() + " must not be the port of " + one.key() + " too");
        }
      }
    }
    assertThat(data).doesNotExist();
  }

  @Test
  void saysWhatIsWrongWithARoute() {
    assertThatThrownBy(
            () -> Node.start(settings(Map.of(GatewaySetting.ROUTES, "/api/** = http://h:99999"))))
        .hasMessage(
            "weir.gateway.routes has a route for /api/** that cannot be used: it must have a port"
                + " from 1 to 65535, not 99999");
  }

  @Test
  void noticesAPortInUseBeforeItStartsADatabase() throws IOException {
    Path data = folder.resolve("data");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      for (Setting setting : List.of(ServerSetting.PORT, EnvoySetting.PORT, GatewaySetting.PORT)) {
        Map<Setting, String> given =
            Map.of(
                StoreSetting.SLOTS_STORE,
                "postgresql",
                StoreSetting.DATA,
                data.toString(),
                setting,
                port);
        assertThatThrownBy(() -> Node.start(settings(given)))
            .isInstanceOf(InvalidSettingException.class)
            .hasMessage(
                setting.key()
                    + " "
                    + port
                    + " on 127.0.0.1 cannot be listened on: it is in use or not allowed");
      }
    }
    assertThat(data).doesNotExist();
  }

  @Test
  void refusesDatabasesThatAreNone() {
    Map<Setting, String> postgresql =
        Map.of(
            StoreSetting.SLOTS_STORE, "postgresql",
            StoreSetting.DB_WAIT, "PT0.25S",
            StoreSetting.DB_PASSWORD, "hunter2");
    for (String url :
        List.of(
            "jdbc:mysql://127.0.0.1/weir?password=hunter2",
            "postgresql://weir:hunter2@127.0.0.1/weir",
            "jdbc:postgresql://127.0.0.1:port/weir?password=hunter2",
            "jdbc:postgresql://127.0.0.1:1/weir?password=hunter2",
            "nonsense")) {
      refuses(with(postgresql, StoreSetting.DB_URL, url), StoreSetting.DB_URL);
    }
    Map<Setting, String> nowhere =
        with(postgresql, StoreSetting.DB_URL, "jdbc:postgresql://127.0.0.1:1/weir");
    for (String wait : List.of("PT0S", "PT0.1S", "PT11M", "3s")) {
      refuses(with(nowhere, StoreSetting.DB_WAIT, wait), StoreSetting.DB_WAIT);
    }
    // Two are too few to bring the tables up to date.
    for (String max : List.of("1", "2")) {
      refuses(with(nowhere, StoreSetting.DB_POOL_MAX, max), StoreSetting.DB_POOL_MAX);
      Map<Setting, String> embedded =
          Map.of(
              StoreSetting.SLOTS_STORE,
              "postgresql",
              StoreSetting.DATA,
              folder.resolve("unused").toString(),
              StoreSetting.DB_POOL_MAX,
              max);
      refuses(embedded, StoreSetting.DB_POOL_MAX);
      assertThat(folder.resolve("unused")).doesNotExist();
    }
    refuses(with(nowhere, StoreSetting.DB_POOL_MIN, "-1"), StoreSetting.DB_POOL_MIN);
  }

  @Test
  void refusesADataFolderThatIsNone() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "not a folder");
    Map<Setting, String> onFile =
        Map.of(StoreSetting.SLOTS_STORE, "postgresql", StoreSetting.DATA, file.toString());
    assertThatThrownBy(() -> Node.start(settings(onFile)))
        .isInstanceOf(EmbeddedDatabase.StartException.class)
        .message()
        .contains(file.toString())
        .hasLineCount(1);
    refuses(
        Map.of(StoreSetting.SLOTS_STORE, "postgresql", StoreSetting.DATA, "a\0b"),
        StoreSetting.DATA);
  }

  /** It has no tables. */
  @Test
  void namesTheDataFolderIfTheEmbeddedDatabaseCannotBeUsed() {
    refuses(
        Map.of(
            StoreSetting.SLOTS_STORE,
            "postgresql",
            StoreSetting.DATA,
            folder.resolve("bare").toString(),
            StoreSetting.DB_MIGRATE,
            "false"),
        StoreSetting.DATA);
  }

  @Test
  void saysItOnTheCommandLineAndEnds() {
    assertThat(up("--port", "abc"))
        .isEqualTo("weir: weir.port must be a whole number, not \"abc\"\n");
    assertThat(up("--db", "jdbc:mysql://hunter2"))
        .isEqualTo("weir: weir.db.url must begin with jdbc:postgresql: or jdbc:oracle:\n");
    assertThat(up("--db", "jdbc:oracle:thin:hunter2"))
        .startsWith("weir: weir.db.url ")
        .doesNotContain("hunter2")
        .hasLineCount(1);
    assertThat(up("--host", "0.0.0.0")).startsWith("weir: weir.host ").hasLineCount(1);
    assertThat(up("--settings", folder.resolve("x").toString()))
        .startsWith("weir: the settings file ")
        .hasLineCount(1);
  }

  private static String up(String... arguments) {
    StringWriter err = new StringWriter();
    int code = new CommandLine(new UpCommand()).setErr(new PrintWriter(err)).execute(arguments);
    assertThat(code).isEqualTo(2);
    return err.toString();
  }

  private static void refuses(Setting setting, String... values) {
    for (String value : values) {
      refuses(Map.of(setting, value), setting);
    }
  }

  private static void refuses(Map<Setting, String> given, Setting setting) {
    assertThatThrownBy(() -> Node.start(settings(given)))
        .as(given.toString())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith(setting.key() + " ")
        .message()
        .hasLineCount(1)
        .doesNotContain("hunter2");
  }

  private static Settings settings(Map<Setting, String> more) {
    Map<Setting, String> given = new HashMap<>();
    given.put(ServerSetting.PORT, "0");
    given.put(StoreSetting.SLOTS_STORE, "memory");
    given.putAll(more);
    return Capabilities.read(given, Map.of(), Optional.empty());
  }

  private static Map<Setting, String> with(
      Map<Setting, String> given, Setting setting, String value) {
    Map<Setting, String> more = new HashMap<>(given);
    more.put(setting, value);
    return more;
  }
}
