package dev.weir.store.jdbc.slots.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Statements are the same whatever the locale: a format writes numbers in the digits of the default
 * locale. In a process of its own, because constants are made when their class is loaded.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OracleLocaleTest {
  /** Turkish has another i; with Arabic digits come other signs as well. */
  @Test
  void statementsAreTheSame() throws Exception {
    Locale locale = Locale.forLanguageTag("tr-TR-u-nu-arab");
    assertThat(String.format(locale, "%.1f", 1.5)).isEqualTo("\u0661\u066b\u0665");
    assertThat("I".toLowerCase(locale)).isEqualTo("\u0131");
    assertThat(run("-Duser.language=tr", "-Duser.country=TR", "-Duser.extensions=u-nu-arab"))
        .contains("{\"c\":17,\"s\":100}")
        .contains("\"v\":1,\"r\":1780315200000000,\"w\":1780315200000000,\"p\":0")
        .contains("\"s\":1780315200000000,\"u\":1780315204000000,\"t\":1,\"o\":0,\"f\":0")
        .contains("\\u00e9");
  }

  private static String run(String... locale) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
    command.addAll(List.of(locale));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), OtherLocale.class.getName()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).isZero();
      return printed;
    } finally {
      process.destroyForcibly();
    }
  }
}
