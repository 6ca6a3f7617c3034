package dev.weir.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.torture.capability.Capability;
import dev.weir.torture.capability.Promise;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documents number what is checked. */
final class PromisesTest {
  private static final Pattern NUMBERED = Pattern.compile("(?m)^- \\*\\*([A-Z]\\d+)\\.\\*\\* ");

  @Test
  void documentsNumberExactlyThePromisesThatAreChecked() throws IOException {
    Set<String> numbered = new TreeSet<>();
    try (Stream<Path> documents = Files.list(Path.of("../docs"))) {
      for (Path document : documents.filter(file -> file.toString().endsWith(".md")).toList()) {
        NUMBERED
            .matcher(Files.readString(document))
            .results()
            .forEach(
                promise ->
                    assertThat(numbered.add(promise.group(1)))
                        .as("%s is numbered once", promise.group(1))
                        .isTrue());
      }
    }
    assertThat(numbered)
        .isEqualTo(Stream.of(Promise.values()).map(Promise::name).collect(Collectors.toSet()));
  }

  @Test
  void namesOfCapabilitiesMeanTheirPromises() {
    for (Capability capability : Torture.CAPABILITIES) {
      List<Promise> meant =
          Stream.of(Promise.values())
              .filter(promise -> promise.isMeantBy(capability.name()))
              .toList();
      assertThat(meant).containsExactlyInAnyOrderElementsOf(capability.promises());
    }
    assertThat(Promise.S3.isMeantBy("S3")).isTrue();
    assertThat(Promise.S3.isMeantBy("S1")).isFalse();
  }
}
