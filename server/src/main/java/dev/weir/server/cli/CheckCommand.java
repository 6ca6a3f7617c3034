package dev.weir.server.cli;

import dev.weir.core.slots.Micros;
import dev.weir.server.check.Checker;
import dev.weir.server.wiring.DatabaseAddress;
import dev.weir.server.wiring.InvalidSettingException;
import dev.weir.server.wiring.Setting;
import dev.weir.server.wiring.Settings;
import dev.weir.server.wiring.postgres.EmbeddedDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Checks what must always hold of slots, from the database. */
@Command(
    name = "check",
    description = "Check what must always hold of slots, from the database.",
    mixinStandardHelpOptions = true,
    footer = "Exit code 0: all holds. 1: something does not. 2: it could not be checked.")
public final class CheckCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--db",
      description = "jdbc:postgresql://… of the server; without it the embedded one of --data.")
  private @Nullable String database;

  @Option(names = "--db-user", description = "User of that server; password in WEIR_DB_PASSWORD.")
  private @Nullable String databaseUser;

  @Option(names = "--data", description = "Folder of a Weir that runs on its embedded PostgreSQL.")
  private @Nullable String data;

  @Option(
      names = "--answers",
      description = "A journal of answers, one line of JSON each, to compare with what is stored.")
  private @Nullable Path answers;

  @Option(
      names = "--from",
      description =
          "Look at slots scheduled from this time on, where retention removes older ones.")
  private @Nullable Instant from;

  @Override
  public Integer call() {
    Map<Setting, String> given = new EnumMap<>(Setting.class);
    put(given, Setting.DB_URL, database);
    put(given, Setting.DB_USER, databaseUser);
    put(given, Setting.DATA, data);
    PrintWriter err = spec.commandLine().getErr();
    try {
      Settings settings =
          Settings.of(
              given,
              System.getenv(),
              Optional.ofNullable(System.getenv("WEIR_SETTINGS")).map(Path::of));
      DatabaseAddress address = DatabaseAddress.of(settings);
      try (Connection connection =
          DriverManager.getConnection(address.url(), address.user(), address.password())) {
        Checker checker = new Checker(connection);
        checker.slots(from == null ? Long.MIN_VALUE : Micros.clamped(from));
        if (answers != null) {
          checker.answers(answers);
        }
        checker.findings().print(spec.commandLine().getOut());
        return checker.findings().clean() ? 0 : 1;
      }
    } catch (InvalidSettingException
        | EmbeddedDatabase.StartException
        | SQLException
        | IllegalArgumentException e) {
      err.println("weir: " + e.getMessage());
    } catch (IOException e) {
      err.println("weir: the answers cannot be read: " + e);
    }
    return 2;
  }

  private static void put(Map<Setting, String> given, Setting setting, @Nullable String value) {
    if (value != null) {
      given.put(setting, value);
    }
  }
}
