package dev.weir.server.cli;

import dev.weir.node.cli.ServerOptions;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Assigns slots to all events of a feed. */
@Command(
    name = "import",
    description =
        "Assigns a slot to every event of a feed of any size. Running it again is safe: an event"
            + " keeps the slot it has.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:every event has a slot",
      "1:some were rejected",
      "2:wrong usage, or a file cannot be read or written",
      "3:the server cannot be reached"
    })
final class SlotsImport implements Callable<Integer> {
  @Mixin private final ServerOptions server = new ServerOptions();

  @Parameters(
      paramLabel = "FEED",
      description =
          "a file .ndjson with lines such as {\"eventId\":\"pay-1\"}, or .csv with a header row;"
              + " both with eventId and, if wanted, configName and requestedTime, and nothing else;"
              + " - for standard input")
  private String feedName = "";

  @Option(
      names = "--config",
      paramLabel = "NAME",
      description = "the configuration of events that name none")
  private @Nullable String configName;

  @Mixin private final FeedTransfer transfer = new FeedTransfer();

  @Override
  public Integer call() throws InterruptedException {
    FeedFormat format = transfer.format(server, feedName);
    transfer.checkPaths(server, feedName);
    return server.run(
        client ->
            transfer.run(
                server,
                FeedTransfer.Source.file(
                    feedName,
                    in -> format.open(in, Optional.ofNullable(configName), transfer.records())),
                new AssignCalls(client),
                "assigned"));
  }
}
