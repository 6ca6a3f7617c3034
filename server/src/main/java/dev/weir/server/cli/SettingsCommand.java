package dev.weir.server.cli;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.Setting;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Lists every setting. */
@Command(
    name = "settings",
    description = "List every setting, its environment variable and its default.",
    mixinStandardHelpOptions = true)
public final class SettingsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    var out = spec.commandLine().getOut();
    for (Setting setting : Capabilities.settings()) {
      String value = setting.defaultValue().isEmpty() ? "none" : setting.defaultValue();
      out.printf(
          "%-40s %-40s %-10s %s%n",
          setting.key(), setting.variable(), value, setting.description());
    }
    return 0;
  }
}
