package dev.weir.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What goes wrong before a server is ready; {@code TestServerIT} of the server starts a real one.
 */
class TestServerTest {
  @TempDir private Path folder;

  private List<String> program(String body) throws IOException {
    Path source = folder.resolve("Program.java");
    Files.writeString(
        source,
        "public class Program { public static void main(String... args) throws Exception {"
            + body
            + "} }");
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(), source.toString());
  }

  @Test
  void saysWhereTheProgramIsToBeNamed() {
    assertThatIllegalStateException()
        .isThrownBy(TestServer::start)
        .withMessageContaining("weir.jar")
        .withMessageContaining("WEIR_JAR");
  }

  @Test
  void aProgramThatEndsIsReportedWithWhatItPrinted() throws IOException {
    TestServer.Builder server =
        TestServer.builder()
            .command(program("System.out.println(\"port in use \" + args[0] + args[2]);"));

    assertThatIllegalStateException()
        .isThrownBy(server::start)
        .withMessageContaining("has ended")
        .withMessageContaining("port in use up0");
  }

  @Test
  void aProgramThatIsNotReadyInTimeIsStopped() throws IOException {
    TestServer.Builder server =
        TestServer.builder()
            .command(program("Thread.sleep(Long.MAX_VALUE);"))
            .startBound(Duration.ZERO);

    assertThatIllegalStateException()
        .isThrownBy(server::start)
        .withMessageContaining("not ready after PT0S");
  }

  @Test
  void closingStopsTheProgramAndDeletesItsFolder() throws IOException {
    TestServer server =
        TestServer.builder()
            .setting("weir.some-setting", "on")
            .command(
                program(
                    "java.nio.file.Files.createDirectories(java.nio.file.Path.of(args[4]));"
                        + "System.out.println(\"Weir is up: http://127.0.0.1:1/\""
                        + " + System.getenv(\"WEIR_SOME_SETTING\") + \"/\""
                        + " + ProcessHandle.current().pid() + args[4]);"
                        + "Thread.sleep(Long.MAX_VALUE);"))
            .start();
    List<String> parts = List.of(server.address().getPath().split("/", 4));
    assertThat(parts.get(1)).isEqualTo("on");
    Path data = Path.of("/" + parts.get(3));
    assertThat(data).exists();

    server.close();
    server.close();

    assertThat(ProcessHandle.of(Long.parseLong(parts.get(2))).filter(ProcessHandle::isAlive))
        .isEmpty();
    assertThat(data.getParent()).doesNotExist();
  }
}
