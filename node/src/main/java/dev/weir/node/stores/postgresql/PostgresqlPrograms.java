package dev.weir.node.stores.postgresql;

import dev.weir.node.settings.FileProblem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bundled PostgreSQL programs, unpacked on this machine and tested to run under an account.
 *
 * @param folder where they are unpacked
 * @param account the user that they run as
 * @param version such as {@code 18.6}
 */
record PostgresqlPrograms(Path folder, PostgresqlAccount account, String version) {
  private static final Duration TRIAL_BOUND = Duration.ofMinutes(2);
  private static final Pattern VERSION = Pattern.compile("\\(PostgreSQL\\) (\\d+[^\\s]*)");

  /**
   * Finds a folder and an account that work together: the first account that can run the programs
   * in the first folder that is writable and allows execution.
   */
  static PostgresqlPrograms find(
      PostgresqlArchive archive, List<Path> caches, List<PostgresqlAccount> accounts) {
    List<String> reasons = new ArrayList<>();
    for (Path cache : caches) {
      try {
        Path folder = archive.unpackedIn(cache);
        for (PostgresqlAccount account : accounts) {
          Command.Finished trial = tryOut(folder, account);
          Matcher version = VERSION.matcher(trial.output());
          if (trial.succeeded() && version.find()) {
            return new PostgresqlPrograms(folder, account, version.group(1));
          }
          reasons.add(folder + " as " + account + ": " + trial.output());
        }
      } catch (IOException e) {
        reasons.add(cache + ": " + FileProblem.text(e));
      }
    }
    throw new EmbeddedDatabase.StartException(
        "the bundled PostgreSQL does not run here; start Weir as an ordinary user with a writable"
            + " home, or name a database server with --db ("
            + String.join("; ", reasons)
            + ")");
  }

  /** Returns the command line that starts one of the programs. */
  List<String> words(String program, String... arguments) {
    return account.words(folder.resolve("bin").resolve(program), arguments);
  }

  /** Returns the major version, which decides whether data files are compatible. */
  String majorVersion() {
    return version.replaceFirst("\\D.*", "");
  }

  private static Command.Finished tryOut(Path folder, PostgresqlAccount account) {
    try {
      return Command.run(
          account.words(folder.resolve("bin").resolve("postgres"), "--version"), TRIAL_BOUND);
    } catch (IOException e) {
      return new Command.Finished(-1, String.valueOf(e.getMessage()));
    }
  }
}
