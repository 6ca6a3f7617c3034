package dev.weir.server.cli;

import dev.weir.node.cli.DatabaseOptions;
import dev.weir.node.lifecycle.StoppedException;
import dev.weir.node.logging.LogSettings;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Setting;
import dev.weir.node.settings.Settings;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.node.wiring.Node;
import dev.weir.node.wiring.Startup;
import java.io.PrintWriter;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a node until it is stopped. */
@Command(
    name = "up",
    description = "Start Weir, on an embedded PostgreSQL unless told otherwise.",
    mixinStandardHelpOptions = true,
    footer = "Every setting can be given in the environment or a file too: weir settings")
public final class UpCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Option(names = "--port", description = "Port to listen on, 0 for a free one (8080).")
  private @Nullable String port;

  @Option(names = "--host", description = "Address to listen on (127.0.0.1).")
  private @Nullable String host;

  @Override
  public Integer call() throws InterruptedException {
    Map<Setting, String> given = new HashMap<>();
    DatabaseOptions.put(given, ServerSetting.PORT, port);
    DatabaseOptions.put(given, ServerSetting.HOST, host);
    PrintWriter err = spec.commandLine().getErr();
    Startup startup = new Startup();
    Node node;
    try {
      Settings settings = database.settings(given);
      LogSettings.apply(settings);
      // From here on a signal may start the hook at any moment. It cancels a start in progress,
      // which leaves no PostgreSQL behind; it stops a running node without this thread.
      Runtime.getRuntime().addShutdownHook(new Thread(startup::stop, "weir-drain"));
      node = startup.start(settings);
    } catch (InvalidSettingException | EmbeddedDatabase.StartException | StoppedException e) {
      err.println("weir: " + e.getMessage());
      return 2;
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(greeting(node.address(), node.offers().contains("feeds")));
    out.flush();
    node.address("gateway").ifPresent(address -> tellGateway(out, address));
    new CountDownLatch(1).await();
    return 0;
  }

  private static void tellGateway(PrintWriter out, URI address) {
    out.printf("The gateway is up: %s%n%n", address);
    out.flush();
  }

  /**
   * Returns what to try first.
   *
   * @param takesFeeds whether the node takes feeds of payments
   */
  static String greeting(URI address, boolean takesFeeds) {
    String feed =
        takesFeeds
            ? """
            ./weir payments simulate feed.csv --payments 100
                              ./weir payments run feed.csv --url %s\
            """
                .formatted(address)
            : "refused by this node; it needs a database and weir.payments.downstream";
    return """

    Weir is up: %1$s

    Ask for a slot:   curl -s %1$s/api/v1/slots -H 'Content-Type: application/json' \\
                        -d '{"eventId":"pay-1","requestedTime":"2026-06-01T12:00:00Z"}'
    Send a message:   curl -s %1$s/api/config -H 'Content-Type: application/json' \\
                        -d '{"userId":101,"rateLimit":10,"timeWindow":5}'
                      curl -s %1$s/api/send -H 'Content-Type: application/json' \\
                        -d '{"userId":101,"message":"Hello"}'
    Pay a feed:       %2$s
    Try the API:      %1$s/docs
    See the windows:  ./weir slots windows --url %1$s --from 2026-06-01T12:00:00Z
    Metrics, health:  %1$s/metrics  %1$s/health/ready
    Stop:             Ctrl-C

    """
        .formatted(address, feed);
  }
}
