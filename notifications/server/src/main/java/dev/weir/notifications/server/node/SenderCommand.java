package dev.weir.notifications.server.node;

import dev.weir.node.cli.DatabaseOptions;
import dev.weir.node.logging.LogSettings;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Runs a sender until it is stopped. */
@Command(
    name = "sender",
    description =
        "Hand messages to the provider, without the rest of the service. Needs"
            + " weir.kafka.bootstrap-servers, and the database of the nodes that take messages.",
    mixinStandardHelpOptions = true,
    footer = "Every setting can be given in the environment or a file too: weir settings")
public final class SenderCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Override
  public Integer call() throws InterruptedException {
    try {
      Settings settings = database.settings(Map.of());
      LogSettings.apply(settings);
      SenderNode sender = SenderNode.start(settings);
      Runtime.getRuntime().addShutdownHook(new Thread(sender::close, "weir-stop"));
    } catch (InvalidSettingException | EmbeddedDatabase.StartException e) {
      spec.commandLine().getErr().println("weir: " + e.getMessage());
      return 2;
    }
    new CountDownLatch(1).await();
    return 0;
  }
}
