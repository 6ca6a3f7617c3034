package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.capability.Capabilities;
import dev.weir.node.settings.ServerSetting;
import dev.weir.node.stores.StoreSetting;
import dev.weir.node.wiring.Node;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs what the README and the guides show, and compares the answers. */
final class ReadmeIT {
  private static final String MOMENT = "\"createdAt\":\"[^\"]*\"";

  @Test
  void everyLineForTheShellGetsTheAnswerThatFollowsIt(@TempDir Path folder) throws Exception {
    List<Prose.Exchange> exchanges = new ArrayList<>(Prose.read("README.md").exchanges());
    exchanges.addAll(Prose.read("docs/guide.md").exchanges());
    exchanges.addAll(Prose.read("docs/payments.md").exchanges());
    assertThat(exchanges).hasSize(13);
    try (Node node =
        Node.start(
            Capabilities.read(
                Map.of(
                    ServerSetting.PORT, "0",
                    StoreSetting.DATA, folder.toString(),
                    StoreSetting.DB_WAIT, "PT2M",
                    ServerSetting.DRAIN, "PT0S"),
                Map.of(),
                Optional.empty()))) {
      for (Prose.Exchange exchange : exchanges) {
        String command =
            exchange.command().replace("localhost:8080", node.address().getAuthority());
        assertThat(run(command).replaceFirst(MOMENT, "").strip())
            .as(command)
            .isEqualTo(exchange.answer().replaceFirst(MOMENT, "").strip());
      }
      // The event of the first line has its slot.
      assertThat(new ReadmeExample().client(node.address()))
          .containsExactly(Instant.parse("2026-06-01T12:00:00Z"));
    }
  }

  @Test
  void itsJavaIsThatOfTheExampleWhichIsCompiled() throws IOException {
    String source = Files.readString(Path.of("src/test/java/dev/weir/server/ReadmeExample.java"));
    List<Prose.Block> examples =
        Pattern.compile(" {4}// docs: (?!end)[^\\n]*\\n(.*?) {4}// docs: end", Pattern.DOTALL)
            .matcher(source)
            .results()
            .map(example -> new Prose.Block("java", example.group(1).indent(-4)))
            .toList();
    assertThat(examples).hasSize(3);
    assertThat(Prose.read("README.md").blocks())
        .filteredOn(block -> block.language().equals("java"))
        .containsExactlyElementsOf(examples);
  }

  @Test
  void itsLimitServesTheFirstOfAHundred() {
    assertThat(new ReadmeExample().limit()).containsExactly(99L);
  }

  @Test
  void itsSlotLiesInThisWindowOrTheNext() {
    Instant before = Instant.now();
    assertThat(new ReadmeExample().slot())
        .singleElement()
        .satisfies(at -> assertThat(at).isBetween(before, Instant.now().plusSeconds(4)));
  }

  @Test
  void itsCoordinatesAreThoseOfTheBom() throws IOException {
    String bom = Prose.read("bom/pom.xml").text();
    Matcher version = Pattern.compile("(?m)^  <version>(.*)</version>$").matcher(bom);
    assertThat(version.find()).isTrue();
    assertThat(Prose.read("README.md").text())
        .contains("<artifactId>weir-bom</artifactId> <version>" + version.group(1) + "</version>");
  }

  @Test
  void isShort() throws IOException {
    assertThat(Prose.read("README.md").text().lines().count()).isLessThan(150);
  }

  private static String run(String command) throws IOException, InterruptedException {
    Process shell = new ProcessBuilder("/bin/sh", "-c", command).start();
    shell.getOutputStream().close();
    String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(shell.waitFor()).as(command).isZero();
    return output;
  }
}
