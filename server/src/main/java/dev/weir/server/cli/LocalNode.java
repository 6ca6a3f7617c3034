package dev.weir.server.cli;

import dev.weir.server.wiring.Node;
import dev.weir.server.wiring.Setting;
import dev.weir.server.wiring.Settings;
import dev.weir.server.wiring.Startup;
import java.net.URI;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;

/** A node in this process, for a command that does not use a server. */
final class LocalNode implements AutoCloseable {
  private static final int TOKEN_BYTES = 16;

  private final Node node;
  private final String token;

  private LocalNode(Node node, String token) {
    this.node = node;
    this.token = token;
  }

  /**
   * Starts a node on a free port. A signal stops it, which leaves no PostgreSQL behind.
   *
   * @throws dev.weir.server.wiring.InvalidSettingException if a setting is invalid
   * @throws dev.weir.server.wiring.postgresql.EmbeddedDatabase.StartException if PostgreSQL does
   *     not start, for example because a running Weir uses its folder
   * @throws dev.weir.server.wiring.StoppedException if a signal has cancelled the start
   */
  static LocalNode start(DatabaseOptions database) {
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    String token = HexFormat.of().formatHex(random);
    Map<Setting, String> given = new EnumMap<>(Setting.class);
    given.put(Setting.PORT, "0");
    // Only for this command; it opens everything, whatever else the settings require.
    given.put(Setting.ADMIN_TOKEN, token);
    given.put(Setting.LOG_LEVEL, "warn");
    given.put(Setting.DRAIN, "PT0S");
    Settings settings = database.settings(given);
    settings.setUpLogging();
    Startup startup = new Startup();
    Runtime.getRuntime().addShutdownHook(new Thread(startup::stop, "weir-drain"));
    return new LocalNode(startup.start(settings), token);
  }

  URI address() {
    return node.address();
  }

  String token() {
    return token;
  }

  @Override
  public void close() {
    node.close();
  }
}
