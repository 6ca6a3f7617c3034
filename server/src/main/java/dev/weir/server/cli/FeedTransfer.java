package dev.weir.server.cli;

import dev.weir.client.UnansweredException;
import dev.weir.node.cli.Phrases;
import dev.weir.node.cli.ProgressDisplay;
import dev.weir.node.cli.ServerOptions;
import dev.weir.node.cli.Terminal;
import dev.weir.node.settings.FileProblem;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of commands that send a feed, and what they do with its answers. */
final class FeedTransfer {
  static final String STANDARD_INPUT = "-";

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

  /** Opens a feed on what a source opened. */
  interface Opener<T> {
    Feed open(T opened) throws IOException;
  }

  /** Opens what a feed is read from. */
  interface Input<T extends Closeable> {
    T open() throws IOException;
  }

  /**
   * What a feed is read from.
   *
   * @param name the file, {@link #STANDARD_INPUT}, or the name of something else
   */
  record Source<T extends Closeable>(
      String name, Input<T> input, Opener<T> opener, OptionalLong bytes) {

    /** A file, or standard input. */
    static Source<InputStream> file(String name, Opener<InputStream> opener) {
      return new Source<>(name, () -> FeedTransfer.open(name), opener, feedBytes(name));
    }
  }

  /**
   * Sends a feed and prints what became of it.
   *
   * @param result the word for what a good line gets
   */
  <T extends Closeable> int run(
      ServerOptions server, Source<T> source, EntryCalls calls, String result)
      throws InterruptedException {
    RejectFile rejects = new RejectFile(rejectsPath(source.name()));
    Terminal terminal = Terminal.ofErrors(System.getenv());
    ImportTally tally = new ImportTally();
    ProgressBar progress = new ProgressBar(terminal, source.bytes(), System::nanoTime);
    try (T in = source.input().open();
        rejects;
        Writer answers = answers()) {
      Feed feed = source.opener().open(in);
      try (ProgressDisplay display =
          new ProgressDisplay(
              server.err(), terminal.interactive(), () -> progress.text(tally.counts()))) {
        display.start();
        new ImportRun(calls, tally, rejects, answers, Thread::sleep).run(feed);
      }
    } catch (UnansweredException gone) {
      server.complain(gone.getMessage() + "; " + whatIsDone(tally));
      return ServerOptions.UNREACHABLE;
    } catch (FeedException unusable) {
      server.complain(source.name() + ": " + unusable.getMessage());
      return ServerOptions.USAGE;
    } catch (IOException failed) {
      server.complain(FileProblem.text(failed) + "; " + whatIsDone(tally));
      return ServerOptions.USAGE;
    }
    ImportTally.Counts counts = tally.counts();
    summary(result, counts, progress, rejects.path()).forEach(server.out()::println);
    return counts.rejected() == 0 ? ServerOptions.OK : ServerOptions.REFUSED;
  }

  private static String whatIsDone(ImportTally tally) {
    return Phrases.count(tally.counts().answered(), "line")
        + " had been answered, and running the import again is safe: events keep their slots";
  }

  static List<String> summary(
      String result, ImportTally.Counts counts, ProgressBar progress, Path rejects) {
    String pace =
        "%s, %s events/s"
            .formatted(
                Phrases.duration(progress.elapsed()),
                Phrases.number(progress.eventsPerSecond(counts)));
    return List.of(
        "%-9s ".formatted(result) + Phrases.number(counts.assigned()),
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

  OptionalLong records() {
    return records == null ? OptionalLong.empty() : OptionalLong.of(records);
  }

  FeedFormat format(ServerOptions server, String name) {
    if (format != null) {
      return format;
    }
    if (name.equals(STANDARD_INPUT)) {
      return FeedFormat.NDJSON;
    }
    return FeedFormat.ofFileName(name)
        .orElseThrow(
            () ->
                wrong(
                    server,
                    "say --format ndjson or --format csv: the name '" + name + "' tells neither"));
  }

  private Path rejectsPath(String name) {
    if (rejectsPath != null) {
      return rejectsPath;
    }
    return Path.of((name.equals(STANDARD_INPUT) ? "stdin" : name) + ".rejects.ndjson");
  }

  /** Checks that no output file would overwrite the feed. */
  void checkPaths(ServerOptions server, String name) {
    Path rejects = rejectsPath(name);
    if (!name.equals(STANDARD_INPUT)) {
      Path feed = Path.of(name);
      if (same(feed, rejects)) {
        throw wrong(server, "--rejects must not be the feed itself");
      }
      if (answersPath != null && same(feed, answersPath)) {
        throw wrong(server, "--out must not be the feed itself");
      }
    }
    if (answersPath != null && same(rejects, answersPath)) {
      throw wrong(server, "--out and --rejects must not be the same file");
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

  private static ParameterException wrong(ServerOptions server, String message) {
    return new ParameterException(server.commandLine(), message);
  }

  private static InputStream open(String name) throws IOException {
    return name.equals(STANDARD_INPUT) ? System.in : Files.newInputStream(Path.of(name));
  }

  private Writer answers() throws IOException {
    return answersPath == null
        ? Writer.nullWriter()
        : Files.newBufferedWriter(answersPath, StandardCharsets.UTF_8);
  }

  /** Returns the length of the feed; empty for a pipe. */
  private static OptionalLong feedBytes(String name) {
    try {
      Path feed = Path.of(name);
      return (!name.equals(STANDARD_INPUT) && Files.isRegularFile(feed))
          ? OptionalLong.of(Files.size(feed))
          : OptionalLong.empty();
    } catch (IOException unknown) {
      return OptionalLong.empty();
    }
  }
}
