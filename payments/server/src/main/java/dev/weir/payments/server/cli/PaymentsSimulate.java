package dev.weir.payments.server.cli;

import dev.weir.node.cli.Phrases;
import dev.weir.node.settings.FileProblem;
import dev.weir.payments.feed.internal.FeedFormat;
import dev.weir.payments.feed.internal.FeedMaker;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes a feed of payments. */
@Command(
    name = "simulate",
    description =
        "Makes a feed of payments of any size. The same options make the same feed; another seed"
            + " makes other payments.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:the feed is made", "2:wrong usage, or the file cannot be written"})
final class PaymentsSimulate implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FEED",
      description = "the file to write: .csv or .ndjson, compressed if .gz follows")
  private String feedName = "";

  @Option(
      names = "--payments",
      paramLabel = "N",
      required = true,
      description = "number of payments, including flawed ones")
  private long payments;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "a part of the payment ids (default: ${DEFAULT-VALUE})")
  private long seed = 1;

  @Option(
      names = "--start",
      paramLabel = "TIME",
      description =
          "earliest requested time, such as 2026-06-01T12:00:00Z (default: none, for now)")
  private @Nullable Instant start;

  @Option(
      names = "--span-seconds",
      paramLabel = "S",
      description =
          "time after --start over which requested times are spread (default: ${DEFAULT-VALUE})")
  private long spanSeconds;

  @Option(
      names = "--flawed-percent",
      paramLabel = "PERCENT",
      description =
          "share of payments that are wrong in some way or repeat another (default:"
              + " ${DEFAULT-VALUE})")
  private double flawedPercent;

  @Override
  public Integer call() {
    FeedMaker.Settings settings = settings();
    try (OutputStream out = open()) {
      FeedMaker.Made made = FeedMaker.write(settings, out);
      spec.commandLine()
          .getOut()
          .printf(
              "%s: %s, %s to reject, %s to skip%n",
              feedName,
              Phrases.count(made.payments(), "payment"),
              Phrases.count(made.rejected(), "line"),
              Phrases.count(made.repeated(), "line"));
      return 0;
    } catch (IOException failed) {
      spec.commandLine().getErr().println("weir: " + FileProblem.text(failed));
      return 2;
    }
  }

  private FeedMaker.Settings settings() {
    FeedFormat format =
        FeedFormat.ofFileName(feedName)
            .orElseThrow(
                () ->
                    wrong("the name of FEED must end with .csv or .ndjson, or with .gz after it"));
    try {
      return new FeedMaker.Settings(
          format,
          payments,
          seed,
          Optional.ofNullable(start),
          Duration.ofSeconds(spanSeconds),
          flawedPercent / 100);
    } catch (IllegalArgumentException invalid) {
      throw new ParameterException(spec.commandLine(), invalid.getMessage(), invalid);
    }
  }

  private OutputStream open() throws IOException {
    OutputStream file = Files.newOutputStream(Path.of(feedName));
    return feedName.toLowerCase(Locale.ROOT).endsWith(".gz")
        ? new GZIPOutputStream(file, 64 * 1024)
        : file;
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
