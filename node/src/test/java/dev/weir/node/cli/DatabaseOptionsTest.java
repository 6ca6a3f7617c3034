package dev.weir.node.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DatabaseOptionsTest {
  @TempDir Path folder;

  @Test
  void readsTheFileThatTheEnvironmentNames() throws IOException {
    Path file = Files.writeString(folder.resolve("weir.properties"), "weir.port=8123\n");
    assertThat(read(file.toString()).text(ServerSetting.PORT)).isEqualTo("8123");
  }

  /** As Compose sets a variable that its own environment does not have. */
  @Test
  void aBlankNameOfTheFileIsNone() {
    for (String blank : new String[] {"", " "}) {
      assertThat(read(blank).text(ServerSetting.PORT)).isEqualTo("8080");
    }
  }

  private static Settings read(String file) {
    return new DatabaseOptions().settings(Map.of(), Map.of("WEIR_SETTINGS", file));
  }
}
