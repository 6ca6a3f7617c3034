package dev.weir.payments.simulator.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CallLogTest {
  private static final Instant AT = Instant.parse("2026-06-01T12:00:00.123456789Z");
  private static final RecordedCall PAID =
      new RecordedCall(AT, "pay \"1\"\nü", "d1", 1, CallResult.PAID, true);
  private static final RecordedCall REFUSED =
      new RecordedCall(AT.plusNanos(1), "", "", 0, CallResult.ABOVE_CEILING, false);

  @TempDir Path folder;

  @Test
  void readsBackWhatItWrote() throws IOException {
    Path file = folder.resolve("calls.ndjson");
    write(file, PAID, REFUSED);
    assertThat(read(file)).containsExactly(PAID, REFUSED);
  }

  @Test
  void goesOnInAFileThatExists() throws IOException {
    Path file = folder.resolve("calls.ndjson");
    write(file, PAID);
    write(file, REFUSED);
    assertThat(read(file)).containsExactly(PAID, REFUSED);
  }

  @Test
  void removesTheLineThatAKilledProcessDidNotFinish() throws IOException {
    for (int length : new int[] {1, 5_000, 20_000}) {
      Path file = folder.resolve("calls-" + length);
      write(file, PAID);
      Files.writeString(file, "{\"at\":\"" + "x".repeat(length), StandardOpenOption.APPEND);
      assertThat(read(file)).containsExactly(PAID);
      write(file, REFUSED);
      assertThat(read(file)).containsExactly(PAID, REFUSED);
    }
    Path nothingElse = folder.resolve("nothing-else");
    Files.writeString(nothingElse, "{\"at\":");
    write(nothingElse, PAID);
    assertThat(read(nothingElse)).containsExactly(PAID);
  }

  @Test
  void changesNoFileOfSomethingElse() throws IOException {
    Path file = Files.writeString(folder.resolve("notes.txt"), "a\nlast line");
    assertThatThrownBy(() -> CallLog.append(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the last line is not a recorded call");
    assertThat(file).hasContent("a\nlast line");
  }

  @Test
  void namesTheLineThatIsNoCall() throws IOException {
    Path file = folder.resolve("calls.ndjson");
    for (String line :
        List.of("nothing", "{}", "[]", "{\"at\":\"now\"}", "{\"at\":{}}", "", "{} {}")) {
      write(file, PAID);
      Files.writeString(file, line + "\n", StandardOpenOption.APPEND);
      write(file, PAID);
      assertThatThrownBy(() -> read(file))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("calls.ndjson, line 2: not a recorded call");
      Files.delete(file);
    }
  }

  @Test
  void refusesTimesThatDoNotFitAChart() throws IOException {
    Path file = folder.resolve("calls.ndjson");
    write(file, PAID);
    String text = Files.readString(file).replace("2026-06", "+12026-06");
    Files.writeString(file, text + text);
    assertThatThrownBy(() -> read(file)).hasMessageContaining("line 1: not a recorded call");
  }

  @Test
  void refusesCallsThatAreOutOfOrder() throws IOException {
    Path file = folder.resolve("calls.ndjson");
    write(file, REFUSED, PAID);
    assertThatThrownBy(() -> read(file))
        .hasMessageContaining("line 2: the call is earlier than the one before it");
  }

  private static void write(Path file, RecordedCall... calls) throws IOException {
    try (CallLog log = CallLog.append(file)) {
      for (RecordedCall call : calls) {
        log.add(call);
      }
    }
  }

  private static List<RecordedCall> read(Path file) throws IOException {
    List<RecordedCall> calls = new ArrayList<>();
    RecordedCalls.read(file, calls::add);
    return calls;
  }
}
