package dev.weir.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.client.WeirClient;
import dev.weir.node.cli.CommandRun;
import dev.weir.node.cli.ServerOptions;
import dev.weir.server.faults.Waiting;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class ImportFaultsTest {
  private static final String MALFORMED =
      "{\"type\":\"urn:weir:problem:malformed-json\",\"title\":\"Bad Request\",\"status\":400,"
          + "\"detail\":\"The JSON cannot be read.\"}";

  @TempDir Path folder;

  private final ImportTally tally = new ImportTally();
  private final List<Duration> pauses = Collections.synchronizedList(new ArrayList<>());

  @Test
  void saysInOneLineThatNobodyListens() throws IOException {
    // Bound, so that no other process gets the port, but not listening.
    try (Socket bound = new Socket()) {
      bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      int port = bound.getLocalPort();
      CommandRun run =
          CommandRun.of(new SlotsCommand(), "import", feed(1), "--url", "http://127.0.0.1:" + port);
      assertThat(run.code()).isEqualTo(3);
      assertThat(run.err().lines())
          .containsExactly(
              "weir: cannot reach http://127.0.0.1:"
                  + port
                  + ": connection refused; 0 lines had been answered, and running the import again"
                  + " is safe: events keep their slots");
    }
  }

  @Test
  void saysHowFarItCameWhenTheServerDies() throws IOException {
    try (ScriptedServer server =
        new ScriptedServer(
            batch -> {
              if (batch.number() > 1) {
                throw new IOException("dead");
              }
              batch.answerAll(ScriptedServer.SLOT);
            })) {
      CommandRun run =
          CommandRun.of(new SlotsCommand(), "import", feed(16_000), "--url", server.url());
      assertThat(run.code()).isEqualTo(3);
      assertThat(run.err())
          .contains("weir: lost " + server.url())
          .contains("10,000 lines had been");
    }
  }

  @Test
  void takesAnAnswerThatIsCutOffForAFault() throws IOException {
    try (ScriptedServer server =
        new ScriptedServer(batch -> batch.begin("[" + ScriptedServer.SLOT))) {
      CommandRun run = CommandRun.of(new SlotsCommand(), "import", feed(10), "--url", server.url());
      assertThat(run.code()).isEqualTo(3);
      assertThat(run.err()).contains("weir: lost " + server.url()).contains("0 lines had been");
    }
  }

  /** Or answers would be taken for those of other lines. */
  @Test
  void takesAnotherNumberOfAnswersForAFault() throws IOException {
    for (int answers : new int[] {1, 3}) {
      try (ScriptedServer server =
          new ScriptedServer(
              batch ->
                  batch.answer(
                      Collections.nCopies(answers, ScriptedServer.SLOT).toArray(new String[0])))) {
        CommandRun run =
            CommandRun.of(new SlotsCommand(), "import", feed(2), "--url", server.url());
        assertThat(run.code()).isEqualTo(3);
        assertThat(run.err())
            .contains("it returned " + answers + " answers, not 2")
            .contains("0 lines had been");
      }
    }
  }

  @Test
  void noticesThatItDoesNotTalkToWeir() throws IOException {
    try (ScriptedServer server = new ScriptedServer(batch -> batch.reply(200, "<html>"))) {
      CommandRun run = CommandRun.of(new SlotsCommand(), "import", feed(1), "--url", server.url());
      assertThat(run.code()).isEqualTo(3);
      assertThat(run.err()).contains("does not answer like a Weir server");
    }
  }

  @Test
  void printsTheProblemOfARefusalThatComesBeforeTheEndOfTheFeed() throws IOException {
    String problem = "{\"title\":\"Unauthorized\",\"status\":401,\"detail\":\"A key is needed.\"}";
    try (ScriptedServer server = new ScriptedServer(batch -> batch.reply(401, problem))) {
      CommandRun run = CommandRun.of(new SlotsCommand(), "import", feed(10), "--url", server.url());
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err()).isEqualToIgnoringNewLines("weir: Unauthorized: A key is needed.");
    }
  }

  @Test
  void sendsLinesAgainThatTheServerCouldNotWorkOn() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    try (ScriptedServer server =
        new ScriptedServer(
            batch ->
                batch.answer(
                    batch.lines().stream()
                        .map(
                            line ->
                                refused.incrementAndGet() <= 4
                                    ? ScriptedServer.NO_STORE
                                    : ScriptedServer.SLOT)
                        .toArray(String[]::new)))) {
      run(server, "{\"eventId\":\"a\"}\n{\"eventId\":\"b\"}\n{\"eventId\":\"c\"}\n");
    }
    assertThat(tally.counts().assigned()).isEqualTo(3);
    assertThat(tally.counts().waiting()).isZero();
    assertThat(pauses).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(2));
    assertThat(rejects()).doesNotExist();
  }

  @Test
  void givesUpOnALineThatIsRefusedTooOften() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            batch ->
                batch.answer(
                    batch.lines().stream()
                        .map(
                            line ->
                                line.contains("bad")
                                    ? ScriptedServer.NO_STORE
                                    : ScriptedServer.SLOT)
                        .toArray(String[]::new)))) {
      run(server, "{\"eventId\":\"bad\"}\nno\n{\"eventId\":\"c\"}\n");
    }
    assertThat(tally.counts().assigned()).isEqualTo(1);
    assertThat(tally.counts().rejected()).isEqualTo(2);
    assertThat(pauses).extracting(Duration::toSeconds).containsExactly(1L, 2L, 4L, 8L, 16L);
    assertThat(Files.readString(rejects()))
        .contains("{\"line\":1,\"text\":\"{\\\"eventId\\\":\\\"bad\\\"}\",\"problem\":{\"type\":")
        .contains("{\"line\":2,\"text\":\"no\",\"problem\":{\"type\":\"about:blank\"");
  }

  /** Such as one that has a field twice: the server then reads nothing of the array. */
  @Test
  void aLineThatSpoilsItsBlockIsRejectedAlone() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            batch -> {
              if (batch.lines().stream().anyMatch(line -> line.contains("twice"))) {
                batch.reply(400, MALFORMED);
              } else {
                batch.answerAll(ScriptedServer.SLOT);
              }
            })) {
      run(
          server,
          "{\"eventId\":\"a\"}\n".repeat(5)
              + "{\"eventId\":\"twice\",\"eventId\":\"twice\"}\n"
              + "{\"eventId\":\"a\"}\n".repeat(7));
    }
    assertThat(tally.counts().assigned()).isEqualTo(12);
    assertThat(Files.readString(rejects()).lines())
        .singleElement()
        .asString()
        .startsWith("{\"line\":6,")
        .contains("malformed-json");
  }

  /** Otherwise the feed ends at this line, however often it is imported. */
  @Test
  void anIdThatIsNotUnicodeIsRejectedAndTheLinesAfterItAreSent() throws IOException {
    Path file = folder.resolve("feed.ndjson");
    Files.writeString(
        file, "{\"eventId\":\"a\"}\n{\"eventId\":\"b\\ud800\"}\n{\"eventId\":\"c\"}\n");
    try (ScriptedServer server =
        new ScriptedServer(
            batch ->
                batch.answer(
                    batch.lines().stream()
                        .map(line -> line.contains("\"b\\") ? MALFORMED : ScriptedServer.SLOT)
                        .toArray(String[]::new)))) {
      CommandRun run =
          CommandRun.of(
              new SlotsCommand(),
              "import",
              file.toString(),
              "--config",
              "bulk",
              "--url",
              server.url());
      assertThat(run.err()).isEmpty();
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.out()).contains("assigned  2").contains("rejected  1");
    }
  }

  /** Two objects on a line would be two entries of the array. */
  @Test
  void aLineThatIsNotOneObjectIsSentByItself() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            batch -> {
              if (batch.isArray()) {
                batch.answerAll(ScriptedServer.SLOT);
              } else {
                batch.reply(200, MALFORMED + "\n");
              }
            })) {
      run(
          server,
          "{\"eventId\":\"a\"},{\"eventId\":\"b\"}\n{\"eventId\":\"c\"} {}\n{\"eventId\":\n"
              + "{\"eventId\":\"d\"}\n");
    }
    assertThat(tally.counts().assigned()).isEqualTo(1);
    assertThat(tally.counts().rejected()).isEqualTo(3);
  }

  @Test
  void readsAnswersWhileTheFeedIsStillComing() throws Exception {
    try (ScriptedServer server = new ScriptedServer(batch -> batch.answerAll(ScriptedServer.SLOT));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      PipedInputStream pipe = new PipedInputStream();
      Future<?> run;
      try (PipedOutputStream pen = new PipedOutputStream(pipe)) {
        run =
            threads.submit(
                () -> {
                  run(server, pipe);
                  return true;
                });
        for (int line = 1; line <= 3; line++) {
          pen.write("{\"eventId\":\"a\"}\n".getBytes(StandardCharsets.UTF_8));
          pen.flush();
          int sent = line;
          Waiting.until("answer " + sent, () -> tally.counts().assigned() >= sent);
        }
      }
      run.get();
    }
    assertThat(tally.counts().assigned()).isEqualTo(3);
  }

  @Test
  void carriesFarMoreThanTheBuffersOnTheWayHold() throws Exception {
    int lines = 200_000;
    String feed = ("{\"eventId\":\"" + "x".repeat(80) + "\"}\n").repeat(lines);
    try (ScriptedServer server =
        new ScriptedServer(batch -> batch.answerAll(ScriptedServer.SLOT))) {
      run(server, feed);
    }
    assertThat(tally.counts().assigned()).isEqualTo(lines);
    assertThat(tally.counts().feedBytes()).isEqualTo(feed.length());
  }

  @Test
  void reportsAFeedThatBreaksOffAfterWhatWasRead() throws Exception {
    InputStream broken =
        new InputStream() {
          private final InputStream good =
              new ByteArrayInputStream("{\"eventId\":\"a\"}\n".getBytes(StandardCharsets.UTF_8));

          @Override
          public int read() throws IOException {
            int next = good.read();
            if (next < 0) {
              throw new IOException("the disk is gone");
            }
            return next;
          }

          @Override
          public int read(byte[] target, int offset, int length) throws IOException {
            target[offset] = (byte) read();
            return 1;
          }
        };
    try (ScriptedServer server =
        new ScriptedServer(batch -> batch.answerAll(ScriptedServer.SLOT))) {
      assertThatThrownBy(() -> run(server, broken)).hasMessage("the disk is gone");
    }
    assertThat(tally.counts().assigned()).isEqualTo(1);
  }

  private void run(ScriptedServer server, String feed) throws Exception {
    run(server, new ByteArrayInputStream(feed.getBytes(StandardCharsets.UTF_8)));
  }

  private void run(ScriptedServer server, InputStream feed) throws Exception {
    try (WeirClient client = ServerOptions.client(URI.create(server.url()), Optional.empty());
        RejectFile rejects = new RejectFile(rejects())) {
      new ImportRun(new AssignCalls(client), tally, rejects, Writer.nullWriter(), pauses::add)
          .run(new NdjsonFeed(feed, Optional.empty(), new LineCount(OptionalLong.empty())));
    }
  }

  private Path rejects() {
    return folder.resolve("rejects.ndjson");
  }

  private String feed(int lines) throws IOException {
    Path file = folder.resolve("feed.ndjson");
    return Files.writeString(file, "{\"eventId\":\"a\"}\n".repeat(lines)).toString();
  }
}
