package dev.weir.server.cli;

import dev.weir.node.cli.ServerOptions;
import java.io.Closeable;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Takes over the events of another system with the times that it has given them. */
@Command(
    name = "adopt",
    description =
        "Takes over events with the times that another system has given them, and counts them in"
            + " the windows of a configuration. Running it again is safe: what was taken over"
            + " stays as it is.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:every event was taken over",
      "1:some were rejected",
      "2:wrong usage, a file cannot be read or written, or the query fails",
      "3:the server cannot be reached"
    })
final class SlotsAdopt implements Callable<Integer> {
  private static final String QUERY_NAME = "query";

  @Mixin private final ServerOptions server = new ServerOptions();

  @Parameters(
      paramLabel = "FEED",
      arity = "0..1",
      description =
          "a file .ndjson with lines such as"
              + " {\"eventId\":\"pay-1\",\"scheduledTime\":\"2031-01-01T00:00:00Z\"}, or .csv with"
              + " a header row; both with eventId and scheduledTime and, if wanted, requestedTime"
              + " and state (assigned or confirmed), and nothing else; - for standard input")
  private @Nullable String feedName;

  @Option(
      names = "--config",
      paramLabel = "NAME",
      description = "the configuration that counts the events (default: that of the server)")
  private @Nullable String configName;

  @Option(
      names = "--overfull",
      paramLabel = "WHAT",
      defaultValue = "refuse",
      description =
          "refuse or accept events for which their window has no place left (default: refuse)")
  private String overfull = "refuse";

  @ArgGroup(exclusive = false)
  private @Nullable Query query;

  @Mixin private final FeedTransfer transfer = new FeedTransfer();

  /** A query in place of a file. */
  static final class Query {
    @Option(
        names = "--query",
        required = true,
        paramLabel = "SQL",
        description =
            "in place of a file: the events, in columns event_id, scheduled_time and, if wanted,"
                + " requested_time and state")
    private String sql = "";

    @Option(
        names = "--db",
        required = true,
        paramLabel = "URL",
        description = "the database of --query, jdbc:postgresql://… or jdbc:oracle:thin:@//…")
    private String url = "";

    @Option(
        names = "--db-user",
        paramLabel = "NAME",
        defaultValue = "",
        description = "its user; WEIR_OLD_DB_PASSWORD is the password")
    private String user = "";

    @Option(
        names = "--zone",
        paramLabel = "ZONE",
        defaultValue = "UTC",
        description = "the time zone of columns without one, such as Europe/Berlin (default: UTC)")
    private String zone = "UTC";
  }

  @Override
  public Integer call() throws InterruptedException {
    if (!overfull.equals("refuse") && !overfull.equals("accept")) {
      throw wrong("--overfull must be refuse or accept, not '" + overfull + "'");
    }
    if ((feedName == null) == (query == null)) {
      throw wrong("name either a FEED, or --query and --db");
    }
    FeedTransfer.Source<? extends Closeable> source =
        query == null ? file(String.valueOf(feedName)) : query(query);
    return server.run(
        client ->
            transfer.run(
                server,
                source,
                new AdoptCalls(client, Optional.ofNullable(configName), overfull),
                "adopted"));
  }

  private FeedTransfer.Source<? extends Closeable> file(String name) {
    FeedFormat format = transfer.format(server, name);
    transfer.checkPaths(server, name);
    return FeedTransfer.Source.file(
        name,
        in ->
            switch (format) {
              case NDJSON ->
                  new NdjsonFeed(in, Optional.empty(), new LineCount(transfer.records()));
              case CSV -> new AdoptCsvFeed(in, new LineCount(transfer.records()));
            });
  }

  private FeedTransfer.Source<? extends Closeable> query(Query wanted) {
    ZoneId zone = zone(wanted.zone);
    if (!wanted.url.toLowerCase(Locale.ROOT).startsWith("jdbc:")) {
      throw wrong("--db must be like jdbc:postgresql://host/database");
    }
    String password = Optional.ofNullable(System.getenv("WEIR_OLD_DB_PASSWORD")).orElse("");
    return new FeedTransfer.Source<OldTable>(
        QUERY_NAME,
        () -> OldTable.open(wanted.url, wanted.user, password, wanted.sql),
        table -> new QueryFeed(table, zone),
        OptionalLong.empty());
  }

  private ZoneId zone(String name) {
    try {
      return ZoneId.of(name);
    } catch (DateTimeException unknown) {
      throw wrong("--zone is no time zone: '" + name + "'");
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(server.commandLine(), message);
  }
}
