package dev.weir.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What can be refused without a server; the address is one that nobody listens on. */
final class UsageTest {
  private static final String NOBODY = "http://127.0.0.1:1";

  @TempDir Path folder;

  @Test
  void namesAFileThatIsNotThere() {
    Path missing = folder.resolve("feed.csv");
    refused(missing + ": no such file or folder;", "import", missing.toString(), "--url", NOBODY);
  }

  @Test
  void asksForTheFormatWhenTheNameDoesNotTell() throws IOException {
    refused("--format ndjson or --format csv", "import", file("feed.txt", ""));
    refused("must be ndjson or csv, not 'xml'", "import", file("a", ""), "--format", "xml");
  }

  @Test
  void refusesAFeedWithoutEventIds() throws IOException {
    refused("no column eventId", "import", file("feed.csv", "id\n1\n"), "--url", NOBODY);
  }

  @Test
  void neverOverwritesTheFeed() throws IOException {
    String feed = file("feed.csv", "eventId\n1\n");
    String sameFeed = folder.resolve("x/../feed.csv").toString();
    refused("--rejects must not be the feed", "import", feed, "--rejects", sameFeed);
    refused("--out must not be the feed", "import", feed, "--out", feed);
    refused("must not be the same file", "import", feed, "--out", "x", "--rejects", "x");
    assertThat(Path.of(feed)).hasContent("eventId\n1\n");
  }

  @Test
  void refusesAnAddressThatIsNone() {
    for (String url :
        new String[] {"localhost:8080", "ftp://a", "http://", "http://a b", "http://a?b"}) {
      refused("--url must be like", "forecast", "--events", "1", "--url", url);
    }
    refused("--token must be", "forecast", "--events", "1", "--token", "a\r\nX: b");
  }

  @Test
  void wantsACommandAndItsOptions() {
    refused("Missing required subcommand");
    refused("Missing required option: '--events=N'", "forecast");
    refused("Missing required parameter: 'FEED'", "import");
  }

  @Test
  void explainsItself() {
    CommandRun help = CommandRun.of(new SlotsCommand(), "import", "--help");
    assertThat(help.code()).isZero();
    assertThat(help.out()).contains("FEED").contains("--rejects").contains("Exit codes:");
  }

  private void refused(String message, String... arguments) {
    CommandRun run = CommandRun.of(new SlotsCommand(), arguments);
    assertThat(run.err()).contains(message);
    assertThat(run.code()).isEqualTo(2);
  }

  private String file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content).toString();
  }
}
