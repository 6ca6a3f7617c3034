package dev.weir.notifications.server.cli;

import dev.weir.client.Call;
import dev.weir.node.cli.Phrases;
import dev.weir.node.cli.ServerOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Publishes messages again that could not be delivered. */
@Command(
    name = "replay",
    description =
        "Publishes the messages of sms-outbound.dlq again, so that the sender tries them once"
            + " more. Needs the administrator's token if the server has one.",
    mixinStandardHelpOptions = true)
final class NotificationsReplay implements Callable<Integer> {
  @Mixin private final ServerOptions server = new ServerOptions();

  @Override
  public Integer call() throws InterruptedException {
    return server.run(
        client ->
            client.send(
                Call.post("/api/admin/messages/replay"),
                reply -> {
                  long replayed = reply.json().requiredNumber("replayed");
                  long skipped = reply.json().requiredNumber("skipped");
                  server.out().println(Phrases.count(replayed, "message") + " published again.");
                  if (skipped > 0) {
                    server
                        .out()
                        .println(Phrases.count(skipped, "message") + " left out: too large.");
                  }
                  return ServerOptions.OK;
                }));
  }
}
