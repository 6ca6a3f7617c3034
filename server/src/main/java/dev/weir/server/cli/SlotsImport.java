package dev.weir.server.cli;

import dev.weir.client.UnansweredException;
import dev.weir.client.WeirClient;
import dev.weir.node.cli.Phrases;
import dev.weir.node.cli.ProgressDisplay;
import dev.weir.node.cli.ServerOptions;
import dev.weir.node.cli.Terminal;
import dev.weir.node.settings.FileProblem;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
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
  private static final String STANDARD_INPUT = "-";

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

  @Option(
      names = "--records",
      paramLabel = "N",
      description =
          "the number of records that the feed should have, without the header row; without it, a"
              + " last line that has no line end is rejected")
  private @Nullable Long records;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      converter = FeedFormat.Converter.class,
      description = "ndjson or csv (default: by the name of the feed, ndjson for -)")
  private @Nullable FeedFormat format;

  @Option(
      names = "--rejects",
      paramLabel = "FILE",
      description =
          "where rejected lines go, with their number and the problem (default:"
              + " FEED.rejects.ndjson)")
  private @Nullable Path rejectsPath;

  @Option(names = "--out", paramLabel = "FILE", description = "where all answers go, a line each")
  private @Nullable Path answersPath;

  @Override
  public Integer call() throws InterruptedException {
    FeedFormat feedFormat = format();
    RejectFile rejects = new RejectFile(rejectsPath());
    checkPaths(rejects.path());
    return server.run(client -> transfer(client, feedFormat, rejects));
  }

  private int transfer(WeirClient client, FeedFormat feedFormat, RejectFile rejects)
      throws InterruptedException {
    Terminal terminal = Terminal.ofErrors(System.getenv());
    ImportTally tally = new ImportTally();
    ProgressBar progress = new ProgressBar(terminal, feedBytes(), System::nanoTime);
    try (InputStream in = open();
        rejects;
        Writer answers = answers()) {
      Feed feed = feedFormat.open(in, Optional.ofNullable(configName), records());
      try (ProgressDisplay display =
          new ProgressDisplay(
              server.err(), terminal.interactive(), () -> progress.text(tally.counts()))) {
        display.start();
        new ImportRun(client, tally, rejects, answers, Thread::sleep).run(feed);
      }
    } catch (UnansweredException gone) {
      server.complain(gone.getMessage() + "; " + whatIsDone(tally));
      return ServerOptions.UNREACHABLE;
    } catch (FeedException unusable) {
      server.complain(feedName + ": " + unusable.getMessage());
      return ServerOptions.USAGE;
    } catch (IOException failed) {
      server.complain(FileProblem.text(failed) + "; " + whatIsDone(tally));
      return ServerOptions.USAGE;
    }
    ImportTally.Counts counts = tally.counts();
    summary(counts, progress, rejects.path()).forEach(server.out()::println);
    return counts.rejected() == 0 ? ServerOptions.OK : ServerOptions.REFUSED;
  }

  private static String whatIsDone(ImportTally tally) {
    return Phrases.count(tally.counts().answered(), "line")
        + " had been answered, and running the import again is safe: events keep their slots";
  }

  static List<String> summary(ImportTally.Counts counts, ProgressBar progress, Path rejects) {
    String pace =
        "%s, %s events/s"
            .formatted(
                Phrases.duration(progress.elapsed()),
                Phrases.number(progress.eventsPerSecond(counts)));
    return List.of(
        "assigned  " + Phrases.number(counts.assigned()),
        "replayed  " + Phrases.number(counts.replayed()),
        "rejected  " + rejected(counts.rejected(), rejects),
        "first     " + counts.first().map(Object::toString).orElse("none"),
        "last      " + counts.last().map(Object::toString).orElse("none"),
        "elapsed   " + pace);
  }

  private static String rejected(long count, Path rejects) {
    if (count > 0) {
      return Phrases.number(count) + ", see " + rejects;
    }
    return Files.exists(rejects) ? "0 (" + rejects + " is of an earlier run)" : "0";
  }

  private OptionalLong records() {
    return records == null ? OptionalLong.empty() : OptionalLong.of(records);
  }

  private boolean fromStandardInput() {
    return feedName.equals(STANDARD_INPUT);
  }

  private FeedFormat format() {
    if (format != null) {
      return format;
    }
    if (fromStandardInput()) {
      return FeedFormat.NDJSON;
    }
    return FeedFormat.ofFileName(feedName)
        .orElseThrow(
            () ->
                wrong(
                    "say --format ndjson or --format csv: the name '"
                        + feedName
                        + "' tells neither"));
  }

  private Path rejectsPath() {
    if (rejectsPath != null) {
      return rejectsPath;
    }
    return Path.of((fromStandardInput() ? "stdin" : feedName) + ".rejects.ndjson");
  }

  /** Checks that no output file would overwrite the feed. */
  private void checkPaths(Path rejects) {
    if (!fromStandardInput()) {
      Path feed = Path.of(feedName);
      if (same(feed, rejects)) {
        throw wrong("--rejects must not be the feed itself");
      }
      if (answersPath != null && same(feed, answersPath)) {
        throw wrong("--out must not be the feed itself");
      }
    }
    if (answersPath != null && same(rejects, answersPath)) {
      throw wrong("--out and --rejects must not be the same file");
    }
  }

  private static boolean same(Path one, Path other) {
    try {
      return (Files.exists(one) && Files.exists(other))
          ? Files.isSameFile(one, other)
          : one.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize());
    } catch (IOException unknown) {
      return false;
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(server.commandLine(), message);
  }

  private InputStream open() throws IOException {
    return fromStandardInput() ? System.in : Files.newInputStream(Path.of(feedName));
  }

  private Writer answers() throws IOException {
    return answersPath == null
        ? Writer.nullWriter()
        : Files.newBufferedWriter(answersPath, StandardCharsets.UTF_8);
  }

  /** Returns the length of the feed; empty for a pipe. */
  private OptionalLong feedBytes() {
    try {
      Path feed = Path.of(feedName);
      return (!fromStandardInput() && Files.isRegularFile(feed))
          ? OptionalLong.of(Files.size(feed))
          : OptionalLong.empty();
    } catch (IOException unknown) {
      return OptionalLong.empty();
    }
  }
}
