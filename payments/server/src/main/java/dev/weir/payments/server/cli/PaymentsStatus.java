package dev.weir.payments.server.cli;

import dev.weir.client.Call;
import dev.weir.client.Feed;
import dev.weir.client.WeirClient;
import dev.weir.node.cli.ServerOptions;
import java.util.List;
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
          lines(client).forEach(server.out()::println);
          return ServerOptions.OK;
        });
  }

  private List<String> lines(WeirClient client) {
    if (feedId != null) {
      // Not the method for one feed: the problem of one that is not known is to be printed.
      Call call = Call.get("/api/v1/payments/feeds/" + Call.segment(feedId));
      return client.send(call, reply -> new FeedProgress(Feed.read(reply.json()))).lines();
    }
    List<Feed> feeds = client.payments().feeds(limit);
    if (feeds.isEmpty()) {
      return List.of("There are no feeds.");
    }
    return feeds.stream()
        .map(
            feed ->
                "%-9s  %s  (%s)"
                    .formatted(feed.state(), feed.feedId(), new FeedProgress(feed).counts()))
        .toList();
  }
}
