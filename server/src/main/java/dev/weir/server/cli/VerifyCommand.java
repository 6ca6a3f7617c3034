package dev.weir.server.cli;

import dev.weir.core.Micros;
import dev.weir.server.verify.Verifier;
import dev.weir.server.wiring.DatabaseAddress;
import dev.weir.server.wiring.InvalidSettingException;
import dev.weir.server.wiring.postgresql.EmbeddedDatabase;
import dev.weir.server.wiring.postgresql.FileProblem;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Checks what must always hold of slots, from the database. */
@Command(
    name = "check",
    description =
        "Check what must always hold of slots, from the database: a real server, or the embedded"
            + " one of a Weir that runs.",
    mixinStandardHelpOptions = true,
    footer =
        "Exit code 0: nothing wrong found. 1: something does not hold. 2: it could not be checked.")
public final class VerifyCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--answers",
      description = "A journal of answers, one line of JSON each, to compare with what is stored.")
  private @Nullable Path answers;

  @Option(
      names = "--complete",
      description = {
        "Every slot that was ever given is still there: none was cancelled and asked again,",
        "none removed by the retention. Then a free place before an event is an error, where",
        "otherwise it cannot be decided whether it is one."
      })
  private boolean complete;

  @Option(
      names = "--from",
      description =
          "Look at slots scheduled from this time on, where retention removes older ones.")
  private @Nullable Instant from;

  @Override
  public Integer call() {
    PrintWriter err = spec.commandLine().getErr();
    try {
      DatabaseAddress address = DatabaseAddress.of(database.settings(Map.of()));
      try (Connection connection =
          DriverManager.getConnection(address.url(), address.user(), address.password())) {
        Verifier checker = new Verifier(connection);
        checker.slots(
            from == null ? Long.MIN_VALUE : Micros.clamped(from),
            complete ? Verifier.Past.COMPLETE : Verifier.Past.UNKNOWN);
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
      err.println("weir: the answers cannot be read: " + FileProblem.text(e));
    }
    return 2;
  }
}
