package dev.weir.node.cli;

import dev.weir.node.logging.LogSettings;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.wiring.Node;
import dev.weir.node.wiring.Startup;
import java.net.URI;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/** A node in this process, for a command that does not use a server. */
public final class LocalNode implements AutoCloseable {
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
   * @throws dev.weir.node.settings.InvalidSettingException if a setting is invalid
   * @throws dev.weir.node.stores.postgresql.EmbeddedDatabase.StartException if PostgreSQL does not
   *     start, for example because a running Weir uses its folder
   * @throws dev.weir.node.lifecycle.StoppedException if a signal has cancelled the start
   */
  public static LocalNode start(DatabaseOptions database) {
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    String token = HexFormat.of().formatHex(random);
    Map<Setting, String> given = new HashMap<>();
    given.put(ServerSetting.PORT, "0");
    // Only for this command; it opens everything, whatever else the settings require.
    given.put(ServerSetting.ADMIN_TOKEN, token);
    given.put(ServerSetting.LOG_LEVEL, "warn");
    given.put(ServerSetting.DRAIN, "PT0S");
    Settings settings = database.settings(given);
    LogSettings.apply(settings);
    Startup startup = new Startup();
    Runtime.getRuntime().addShutdownHook(new Thread(startup::stop, "weir-drain"));
    return new LocalNode(startup.start(settings), token);
  }

  public URI address() {
    return node.address();
  }

  public String token() {
    return token;
  }

  @Override
  public void close() {
    node.close();
  }
}
