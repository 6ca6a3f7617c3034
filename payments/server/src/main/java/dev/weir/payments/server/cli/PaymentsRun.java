package dev.weir.payments.server.cli;

import dev.weir.client.ProblemException;
import dev.weir.client.UnansweredException;
import dev.weir.client.WeirClient;
import dev.weir.node.cli.DatabaseOptions;
import dev.weir.node.cli.LocalNode;
import dev.weir.node.cli.ProgressDisplay;
import dev.weir.node.cli.ServerOptions;
import dev.weir.node.cli.Terminal;
import dev.weir.node.lifecycle.StoppedException;
import dev.weir.node.settings.FileProblem;
import dev.weir.node.settings.InvalidSettingException;
import dev.weir.node.stores.postgresql.EmbeddedDatabase;
import dev.weir.payments.feed.internal.FeedFormat;
import dev.weir.payments.feed.internal.FeedTotals;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes all payments of a feed. */
@Command(
    name = "run",
    description =
        "Makes the payments of a feed and shows the progress until all have ended. Without --url"
            + " everything that is needed runs inside this command: PostgreSQL, Temporal and,"
            + " unless weir.payments.downstream names another one, a payment API that only counts"
            + " and moves no money; with --db it must be named, or be simulator."
            + " It may be interrupted and run again: it continues where it was, and pays nothing"
            + " twice.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:every payment is made",
      "1:some were rejected, failed, were cancelled or belong to an earlier feed and are not paid,"
          + " or the server refused the feed",
      "2:wrong usage, a file cannot be read or written, or a part does not start",
      "3:the server cannot be reached"
    },
    footer = "Every setting can be given in the environment or a file too: weir settings")
public final class PaymentsRun implements Callable<Integer> {
  private static final int DIGEST_CHARACTERS = 12;

  @Spec private CommandSpec spec;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Parameters(
      paramLabel = "FEED",
      description =
          "a file .csv with a header row, or .ndjson with an object per line, as it is or"
              + " compressed as .gz; see docs/payments.md")
  private Path feed = Path.of("");

  @Option(
      names = "--feed-id",
      paramLabel = "ID",
      description =
          "the id of the feed (default: the name of the file and a digest of its content, so that"
              + " the same file continues and a changed one is another feed)")
  private @Nullable String givenId;

  @Option(
      names = "--config",
      paramLabel = "NAME",
      description = "the slot configuration of payments that name none")
  private @Nullable String configName;

  @Option(
      names = "--records",
      paramLabel = "N",
      description =
          "the number of records that the feed should have; if it has another one, nothing is paid"
              + " (default: as many as the file has now)")
  private @Nullable Long records;

  @Option(
      names = "--control-sum",
      paramLabel = "SUMS",
      description =
          "what the amounts should add up to, such as EUR:1234.50,USD:3.00; if they do not, nothing"
              + " is paid (default: what they add up to in the file now)")
  private @Nullable String controlSum;

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "${env:WEIR_URL:-}",
      description = "a running server to use (or WEIR_URL; default: none)")
  private String url = "";

  @Option(
      names = "--token",
      paramLabel = "KEY",
      defaultValue = "${env:WEIR_TOKEN:-}",
      description = "the client key; WEIR_TOKEN keeps it out of the list of processes")
  private String token = "";

  @Option(
      names = "--rejects",
      paramLabel = "FILE",
      description = "where rejected records go, if there are any (default: FEED.rejects.ndjson)")
  private @Nullable Path rejects;

  @Option(names = "--svg", paramLabel = "FILE", description = "where a chart of the calls goes")
  private @Nullable Path svg;

  @Option(names = "--markdown", paramLabel = "FILE", description = "where a report goes")
  private @Nullable Path markdown;

  @Override
  public Integer call() throws InterruptedException {
    FeedFormat format = format();
    FeedTotals given = given();
    try {
      if (!url.isEmpty()) {
        try (WeirClient client = ServerOptions.client(spec.commandLine(), url, token)) {
          return run(client, id(), format, FileTotals.of(feed, format, given));
        }
      }
      // Before anything is started.
      String id = id();
      FeedTotals announced = FileTotals.of(feed, format, given);
      try (LocalNode node = LocalNode.start(database);
          WeirClient client = ServerOptions.client(node.address(), Optional.of(node.token()))) {
        return run(client, id, format, announced);
      }
    } catch (IOException failed) {
      complain(FileProblem.text(failed));
      return ServerOptions.USAGE;
    } catch (InvalidSettingException | EmbeddedDatabase.StartException | StoppedException failed) {
      complain(String.valueOf(failed.getMessage()));
      if (failed instanceof EmbeddedDatabase.StartException) {
        complain("to use a Weir that is running, name it with --url");
      }
      return ServerOptions.USAGE;
    }
  }

  private int run(WeirClient client, String id, FeedFormat format, FeedTotals announced)
      throws IOException, InterruptedException {
    FeedRun run = new FeedRun(client, id);
    Terminal terminal = Terminal.ofErrors(System.getenv());
    try {
      FeedProgress progress;
      Optional<String> unpaid = Optional.empty();
      try (ProgressDisplay display =
          new ProgressDisplay(spec.commandLine().getErr(), terminal.interactive(), run::text)) {
        display.start();
        progress = run.run(feed, format, Optional.ofNullable(configName), announced);
        if (progress.isAllPaid() && progress.feed().repeated() > 0) {
          unpaid = run.unpaid(feed, format, announced, progress.feed().repeated());
        }
      }
      progress.lines().forEach(spec.commandLine().getOut()::println);
      unpaid.ifPresent(payment -> spec.commandLine().getOut().println("not paid   " + payment));
      write(client, run, id, progress);
      return progress.isAllPaid() && unpaid.isEmpty() ? ServerOptions.OK : ServerOptions.REFUSED;
    } catch (ProblemException refused) {
      ServerOptions.lines(refused.problem()).forEach(this::complain);
      return ServerOptions.REFUSED;
    } catch (UnansweredException gone) {
      complain(gone.getMessage() + "; run it again to continue feed " + id);
      return ServerOptions.UNREACHABLE;
    }
  }

  private void write(WeirClient client, FeedRun run, String id, FeedProgress progress)
      throws IOException {
    if (progress.feed().rejected() > 0) {
      Path file = rejects == null ? Path.of(feed + ".rejects.ndjson") : rejects;
      run.writeRejects(file);
      spec.commandLine().getOut().println("see        " + file);
    }
    if (svg != null) {
      Files.writeString(svg, client.payments().chart(id));
    }
    if (markdown != null) {
      Files.writeString(markdown, client.payments().report(id));
    }
  }

  /** Returns what the options say about the whole feed. */
  private FeedTotals given() {
    Optional<Map<String, BigDecimal>> sums =
        Optional.ofNullable(controlSum).flatMap(FeedTotals::controlSum);
    if (controlSum != null && sums.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          "--control-sum must be sums by currency, such as EUR:1234.50,USD:3.00, not '"
              + controlSum
              + "'");
    }
    return new FeedTotals(records == null ? OptionalLong.empty() : OptionalLong.of(records), sums);
  }

  private FeedFormat format() {
    return FeedFormat.ofFileName(feed.toString())
        .orElseThrow(
            () ->
                new ParameterException(
                    spec.commandLine(),
                    "the name of the feed must end with .csv or .ndjson, perhaps with .gz"
                        + " after it, not '"
                        + feed
                        + "'"));
  }

  private String id() throws IOException {
    return givenId == null ? idOf(feed) : givenId;
  }

  /** Returns an id that is the same for the same content under the same name. */
  public static String idOf(Path feed) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
    try (InputStream in = new DigestInputStream(Files.newInputStream(feed), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    String name = String.valueOf(feed.getFileName());
    return name.substring(0, Math.min(100, name.length()))
        + "-"
        + HexFormat.of().formatHex(digest.digest()).substring(0, DIGEST_CHARACTERS);
  }

  private void complain(String message) {
    spec.commandLine().getErr().println(message.startsWith(" ") ? message : "weir: " + message);
  }
}
