package dev.weir.server.cli;

import dev.weir.internal.Micros;
import dev.weir.node.cli.DatabaseOptions;
import dev.weir.node.settings.FileProblem;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.stores.DatabaseAddress;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.server.verify.Verifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Verifies from the database that the invariants of slots hold. */
@Command(
    name = "verify",
    description =
        "Verify from the database that the invariants of slots hold: on a PostgreSQL or Oracle"
            + " server, or on the embedded PostgreSQL of a running Weir.",
    mixinStandardHelpOptions = true,
    // Otherwise it is 1, which says that an invariant is broken.
    exitCodeOnExecutionException = 2,
    footer =
        "Exit code 0: all invariants hold. 1: an invariant is broken. 2: it could not be verified.")
public final class VerifyCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--answers",
      description =
          "A journal of answers, one JSON object per line, to compare with the stored slots.")
  private @Nullable Path answers;

  @Option(
      names = "--complete",
      description = {
        "Every slot ever assigned is still stored: none was cancelled and requested again, none",
        "removed by retention. A free place before an event is then an error; otherwise that",
        "cannot be decided."
      })
  private boolean complete;

  @Option(
      names = "--from",
      description =
          "Verify slots scheduled from this time on; needed if retention removes older ones.")
  private @Nullable Instant from;

  @Override
  public Integer call() {
    PrintWriter err = spec.commandLine().getErr();
    try {
      DatabaseAddress address = DatabaseAddress.of(database.settings(Map.of()));
      try (Connection connection =
          DriverManager.getConnection(address.url(), address.user(), address.password())) {
        Verifier verifier = new Verifier(connection);
        verifier.slots(
            from == null ? Long.MIN_VALUE : Micros.clamped(from),
            complete ? Verifier.Past.COMPLETE : Verifier.Past.UNKNOWN);
        if (answers != null) {
          verifier.answers(answers);
        }
        verifier.findings().print(spec.commandLine().getOut());
        return verifier.findings().clean() ? 0 : 1;
      }
    } catch (InvalidSettingException
        | EmbeddedDatabase.StartException
        | SQLException
        | DateTimeException
        | IllegalArgumentException e) {
      err.println("weir: " + e.getMessage());
    } catch (IOException e) {
      err.println("weir: the answers cannot be read: " + FileProblem.text(e));
    }
    return 2;
  }
}
