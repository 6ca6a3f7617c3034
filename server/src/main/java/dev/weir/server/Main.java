package dev.weir.server;

import dev.weir.node.capability.Capabilities;
import dev.weir.server.cli.SettingsCommand;
import dev.weir.server.cli.UpCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Weir: when may this proceed? The one program; {@code ./weir} starts it. */
@Command(
    name = "weir",
    description = "When may this proceed?",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class)
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** Returns the command with those of all capabilities. */
  public static CommandLine commandLine() {
    CommandLine weir = new CommandLine(new Main());
    weir.addSubcommand(UpCommand.class);
    Capabilities.all().stream()
        .flatMap(capability -> capability.commands().stream())
        .forEach(weir::addSubcommand);
    weir.addSubcommand(SettingsCommand.class);
    weir.addSubcommand(CommandLine.HelpCommand.class);
    return weir;
  }

  /** The version of the jar. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {"weir " + (version == null ? "from classes" : version)};
    }
  }
}
