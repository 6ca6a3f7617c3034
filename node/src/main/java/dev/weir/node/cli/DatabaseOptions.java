package dev.weir.node.cli;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.StoreSetting;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the database of a command and the source of its other settings. */
public final class DatabaseOptions {
  @Option(names = "--data", description = "Folder of the embedded PostgreSQL.")
  private @Nullable String data;

  @Option(
      names = "--db",
      description =
          "jdbc:postgresql://… or jdbc:oracle:… of a server in place of the embedded PostgreSQL.")
  private @Nullable String url;

  @Option(names = "--db-user", description = "User of that server; password in WEIR_DB_PASSWORD.")
  private @Nullable String user;

  @Option(names = "--settings", description = "A properties file with settings.")
  private @Nullable Path file;

  /** Returns the effective settings, with these options and with additional ones. */
  public Settings settings(Map<Setting, String> more) {
    return settings(more, System.getenv());
  }

  Settings settings(Map<Setting, String> more, Map<String, String> environment) {
    Map<Setting, String> given = new HashMap<>();
    given.putAll(more);
    put(given, StoreSetting.DATA, data);
    put(given, StoreSetting.DB_URL, url);
    put(given, StoreSetting.DB_USER, user);
    return Capabilities.read(
        given,
        environment,
        Optional.ofNullable(file)
            .or(
                () ->
                    Optional.ofNullable(environment.get("WEIR_SETTINGS"))
                        .filter(name -> !name.isBlank())
                        .map(Path::of)));
  }

  /** Adds an option if it was given. */
  public static void put(Map<Setting, String> given, Setting setting, @Nullable String value) {
    if (value != null) {
      given.put(setting, value);
    }
  }
}
