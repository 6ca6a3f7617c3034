package dev.weir.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.server.cli.SettingsCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class SettingsTest {
  @TempDir private Path folder;

  @Test
  void theCommandLineWinsOverTheEnvironmentAndThatOverTheFile() throws IOException {
    Path file = file("weir.port=1\nweir.host=file\nweir.drain=PT1S\n");
    Settings settings =
        Settings.of(
            Map.of(Setting.PORT, "3"),
            Map.of("WEIR_PORT", "2", "WEIR_HOST", "environment"),
            Optional.of(file));
    assertThat(settings.text(Setting.PORT)).isEqualTo("3");
    assertThat(settings.text(Setting.HOST)).isEqualTo("environment");
    assertThat(settings.text(Setting.DRAIN)).isEqualTo("PT1S");
    assertThat(settings.text(Setting.LOG_LEVEL)).isEqualTo("info");
  }

  @Test
  void whatIsBlankIsNotGiven() throws IOException {
    Path file = file("weir.host=\nweir.port = 1 \n");
    Settings settings =
        Settings.of(
            Map.of(Setting.PORT, "", Setting.DRAIN, " "),
            Map.of("WEIR_PORT", " ", "WEIR_HOST", ""),
            Optional.of(file));
    assertThat(settings.text(Setting.HOST)).isEqualTo("127.0.0.1");
    assertThat(settings.text(Setting.PORT)).isEqualTo("1");
    assertThat(settings.text(Setting.DRAIN)).isEqualTo("PT20S");
  }

  @Test
  void aFileThatCannotBeUsedIsNamed() throws IOException {
    refuses(file("weir.prot=1"), "weir.prot", "is not known");
    refuses(file("port=1"), "port", "is not known");
    refuses(file("weir.port=\\u00zz"), "the settings file", "cannot be read");
    refuses(folder.resolve("missing.properties"), "the settings file", "missing.properties");
    refuses(folder, "the settings file", "cannot be read");
  }

  @Test
  void everySettingIsListed() {
    StringWriter out = new StringWriter();
    int code = new CommandLine(new SettingsCommand()).setOut(new PrintWriter(out)).execute();
    assertThat(code).isZero();
    assertThat(out.toString().lines()).hasSize(Setting.values().length);
    for (Setting setting : Setting.values()) {
      assertThat(out.toString()).contains(setting.key(), setting.variable(), setting.meaning());
    }
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("weir.properties"), text);
  }

  private static void refuses(Path file, String... words) {
    assertThatThrownBy(() -> Settings.of(Map.of(), Map.of(), Optional.of(file)))
        .isInstanceOf(InvalidSettingException.class)
        .message()
        .contains(words)
        .hasLineCount(1);
  }
}
