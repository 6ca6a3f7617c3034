package dev.weir.payments.server.cli;

import dev.weir.client.FeedChange;
import dev.weir.client.FeedScope;
import dev.weir.client.Payments;
import dev.weir.node.cli.Phrases;
import dev.weir.node.cli.ServerOptions;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** What the commands have in common that stop feeds and let them go on. */
abstract sealed class PaymentsAction implements Callable<Integer> {
  @Mixin private final ServerOptions server = new ServerOptions();

  @Parameters(paramLabel = "FEED", arity = "0..1", description = "the id of a feed")
  private @Nullable String feedId;

  @Option(names = "--all", description = "all feeds, in place of FEED")
  private boolean isAll;

  /** Returns what was done, for people. */
  abstract String text(boolean isChanged, long payments);

  /** Changes the feeds. */
  abstract FeedChange change(Payments payments, FeedScope feeds);

  @Override
  public Integer call() throws InterruptedException {
    if (isAll == (feedId != null)) {
      throw new ParameterException(server.commandLine(), "name either FEED or --all");
    }
    FeedScope feeds = scope();
    return server.run(
        client -> {
          FeedChange change = change(client.payments(), feeds);
          server.out().println(text(change.isChanged(), change.payments()));
          return ServerOptions.OK;
        });
  }

  private FeedScope scope() {
    try {
      return feedId == null ? FeedScope.all() : FeedScope.of(feedId);
    } catch (IllegalArgumentException invalid) {
      throw new ParameterException(server.commandLine(), invalid.getMessage(), invalid);
    }
  }

  /** Holds feeds. */
  @Command(
      name = "hold",
      description =
          "Holds a feed or all feeds: no call of their payments is begun, by any node, until they"
              + " are resumed. Needs the administrator's token if the server has one.",
      mixinStandardHelpOptions = true)
  static final class Hold extends PaymentsAction {
    @Override
    FeedChange change(Payments payments, FeedScope feeds) {
      return payments.hold(feeds);
    }

    @Override
    String text(boolean isChanged, long payments) {
      return isChanged ? "Held: no call is begun from now on." : "It was held already.";
    }
  }

  /** Resumes feeds. */
  @Command(
      name = "resume",
      description =
          "Ends the hold of a feed, or that of all feeds; feeds that are held one by one stay held."
              + " Needs the administrator's token if the server has one.",
      mixinStandardHelpOptions = true)
  static final class Resume extends PaymentsAction {
    @Override
    FeedChange change(Payments payments, FeedScope feeds) {
      return payments.resume(feeds);
    }

    @Override
    String text(boolean isChanged, long payments) {
      return isChanged ? "Resumed." : "It was not held.";
    }
  }

  /** Cancels feeds. */
  @Command(
      name = "cancel",
      description =
          "Cancels the payments of a feed or of all feeds that have not ended, except those of"
              + " which a call is in progress. Needs the administrator's token if the server has"
              + " one.",
      mixinStandardHelpOptions = true)
  static final class Cancel extends PaymentsAction {
    @Override
    FeedChange change(Payments payments, FeedScope feeds) {
      return payments.cancel(feeds);
    }

    @Override
    String text(boolean isChanged, long payments) {
      return Phrases.count(payments, "payment") + " cancelled.";
    }
  }

  /** Tries failed payments again. */
  @Command(
      name = "retry",
      description =
          "Tries the payments of a feed or of all feeds again that failed, except those that may"
              + " have been made. Needs the administrator's token if the server has one.",
      mixinStandardHelpOptions = true)
  static final class Retry extends PaymentsAction {
    @Option(
        names = "--force",
        description =
            "also those that may have been made: only if the payment API still knows their"
                + " idempotency keys, or you know that they were not made")
    private boolean isForced;

    @Override
    FeedChange change(Payments payments, FeedScope feeds) {
      return isForced ? payments.forceRetry(feeds) : payments.retry(feeds);
    }

    @Override
    String text(boolean isChanged, long payments) {
      return Phrases.count(payments, "payment") + " tried again.";
    }
  }
}
