package dev.weir.server;

import dev.weir.server.cli.NotificationsCommand;
import dev.weir.server.cli.SenderCommand;
import dev.weir.server.cli.SettingsCommand;
import dev.weir.server.cli.SlotsCommand;
import dev.weir.server.cli.UpCommand;
import dev.weir.server.cli.VerifyCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Weir: when may this proceed? The one program; {@code ./weir} starts it. */
@Command(
    name = "weir",
    description = "When may this proceed?",
    subcommands = {
      UpCommand.class,
      SenderCommand.class,
      SlotsCommand.class,
      NotificationsCommand.class,
      VerifyCommand.class,
      SettingsCommand.class,
      CommandLine.HelpCommand.class
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class)
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    int code = new CommandLine(new Main()).execute(arguments);
    System.exit(code);
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
