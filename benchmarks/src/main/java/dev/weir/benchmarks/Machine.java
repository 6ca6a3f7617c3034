package dev.weir.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Facts about the machine and the database that a reader needs to judge a benchmark. */
public final class Machine {
  private Machine() {}

  /** Returns the processor, the memory, the operating system and the JDK that runs this program. */
  public static Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("cpu", entry(Path.of("/proc/cpuinfo"), "model name", ":"));
    facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
    facts.put("memory", entry(Path.of("/proc/meminfo"), "MemTotal", ":"));
    facts.put(
        "os",
        entry(Path.of("/etc/os-release"), "PRETTY_NAME", "=").replace("\"", "")
            + ", "
            + System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"));
    facts.put(
        "jdk",
        System.getProperty("java.vendor")
            + " "
            + Runtime.version()
            + ", heap up to "
            + Runtime.getRuntime().maxMemory() / (1024 * 1024)
            + " MB");
    return facts;
  }

  /** Returns the server's version and the settings that affect the speed of a commit. */
  public static Map<String, String> facts(DataSource postgresql) throws SQLException {
    Map<String, String> facts = new LinkedHashMap<>();
    try (Connection connection = postgresql.getConnection();
        Statement statement = connection.createStatement()) {
      try (ResultSet version = statement.executeQuery("SHOW server_version")) {
        version.next();
        facts.put("postgresql", version.getString(1));
      }
      StringBuilder settings = new StringBuilder();
      try (ResultSet setting =
          statement.executeQuery(
              """
              SELECT name, current_setting(name) FROM pg_settings
              WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers',
                             'max_wal_size', 'wal_level', 'wal_compression')
              ORDER BY name
              """)) {
        while (setting.next()) {
          settings.append(settings.isEmpty() ? "" : ", ");
          settings.append(setting.getString(1)).append('=').append(setting.getString(2));
        }
      }
      facts.put("settings", settings.toString());
    }
    return facts;
  }

  // These files exist on Linux only; on other systems the fact is reported as unknown.
  private static String entry(Path file, String key, String separator) {
    if (!Files.isReadable(file)) {
      return "unknown";
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(key))
          .map(line -> line.substring(line.indexOf(separator) + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown (" + e.getMessage() + ")";
    }
  }
}
