package dev.weir.node.stores;

import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.store.jdbc.internal.Dialect;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * Address and credentials of a database: an external server, or the embedded one of a running node.
 */
public record DatabaseAddress(String url, String user, String password) {

  /** Returns the database that a node with these settings uses. */
  public static DatabaseAddress of(Settings settings) {
    if (settings.optional(StoreSetting.DB_URL).isPresent()) {
      return ofServer(settings);
    }
    EmbeddedDatabase.Access access = EmbeddedDatabase.accessTo(dataFolder(settings));
    return new DatabaseAddress(access.jdbcUrl(), access.user(), access.password());
  }

  public static DatabaseAddress ofServer(Settings settings) {
    String url = settings.text(StoreSetting.DB_URL);
    // The message does not repeat the address, which may contain a password.
    boolean isOracle = isOracle(url);
    if (!isOracle && !url.startsWith("jdbc:postgresql:")) {
      throw new InvalidSettingException(
          StoreSetting.DB_URL.key(), "must begin with jdbc:postgresql: or jdbc:oracle:");
    }
    try {
      DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw new InvalidSettingException(
          StoreSetting.DB_URL.key(),
          "cannot be read: it must be "
              + (isOracle
                  ? "jdbc:oracle:thin:@//host:port/service"
                  : "jdbc:postgresql://host:port/database"));
    }
    return new DatabaseAddress(
        url, settings.text(StoreSetting.DB_USER), settings.text(StoreSetting.DB_PASSWORD));
  }

  /** Returns true if a URL is of Oracle's driver. */
  public static boolean isOracle(String url) {
    return url.startsWith("jdbc:oracle:");
  }

  /** Returns the kind of the database. */
  public Dialect dialect() {
    return isOracle(url) ? Dialect.ORACLE : Dialect.POSTGRESQL;
  }

  public static Path dataFolder(Settings settings) {
    try {
      return settings
          .optional(StoreSetting.DATA)
          .map(Path::of)
          .orElseGet(() -> Path.of(System.getProperty("user.home", "."), ".local/share/weir"));
    } catch (InvalidPathException e) {
      throw new InvalidSettingException(StoreSetting.DATA.key(), "cannot be the name of a folder");
    }
  }

  /**
   * Returns the address without parameters and the user, because neither may reveal a password. An
   * address of Oracle may have both before the at sign.
   */
  @Override
  public String toString() {
    return url.replaceFirst("\\?.*", "").replaceFirst("^(jdbc:oracle:\\w+:)[^@]*@", "$1@")
        + " as "
        + user;
  }
}
