package dev.weir.server.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the progress of feeds. */
@Command(
    name = "status",
    description = "Shows the progress of a feed, or the newest feeds.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:shown",
      "1:there is no such feed, or the server refused",
      "2:wrong usage",
      "3:the server cannot be reached"
    })
final class PaymentsStatus implements Callable<Integer> {
  private static final String PATH = "/api/v1/payments/feeds";

  @Mixin private final ServerOptions server = new ServerOptions();

  @Parameters(
      paramLabel = "FEED",
      arity = "0..1",
      description = "the id of a feed (default: the newest ones)")
  private @Nullable String feedId;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "maximum number of feeds (default: 20)")
  private long limit;

  @Override
  public Integer call() throws InterruptedException {
    return server.run(
        client -> {
          try {
            lines(client).forEach(server.out()::println);
          } catch (IOException notWeir) {
            throw UnreachableException.notWeir(client.server(), notWeir);
          }
          return ServerOptions.OK;
        });
  }

  private List<String> lines(WeirClient client)
      throws IOException, ProblemException, UnreachableException, InterruptedException {
    if (feedId != null) {
      return FeedProgress.read(client.get(PATH + "/" + WeirClient.encoded(feedId), Map.of()))
          .lines();
    }
    byte[] answer = client.get(PATH, Map.of("limit", Optional.of(Long.toString(limit))));
    List<JsonObject> feeds = JsonObject.read(answer).objects("feeds");
    if (feeds.isEmpty()) {
      return List.of("There are no feeds.");
    }
    List<FeedProgress> progress = new ArrayList<>();
    for (JsonObject feed : feeds) {
      progress.add(FeedProgress.of(feed));
    }
    return progress.stream()
        .map(feed -> "%-9s  %s  (%s)".formatted(feed.state(), feed.feedId(), feed.counts()))
        .toList();
  }
}
