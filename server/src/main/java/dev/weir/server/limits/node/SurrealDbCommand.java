package dev.weir.server.limits.node;

import dev.weir.store.surrealdb.SurrealDb;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The commands for SurrealDB; they need no server. */
@Command(
    name = "surrealdb",
    description = "Shows what Weir keeps in SurrealDB.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND")
public final class SurrealDbCommand {
  @Spec private CommandSpec spec;

  /** Prints the definitions of the tables. */
  @Command(
      name = "schema",
      description = {
        "Prints the tables as SurrealQL, with comments on their fields.",
        "Weir creates them on first use; nothing has to be done by hand."
      },
      mixinStandardHelpOptions = true)
  int schema() {
    spec.commandLine().getOut().print(SurrealDb.schema());
    spec.commandLine().getOut().flush();
    return 0;
  }
}
