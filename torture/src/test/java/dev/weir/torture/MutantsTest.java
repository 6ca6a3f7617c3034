package dev.weir.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.torture.capability.Capability;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.faults.Fault;
import dev.weir.torture.mutants.Mutant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The planted faults fit the sources. */
final class MutantsTest {
  private static final Path ROOT = Path.of("..");

  @TempDir private Path folder;

  @Test
  void everyPatchStillAppliesAndCompiles() throws IOException {
    Path jar = ROOT.resolve("server/target/weir.jar");
    for (Mutant mutant : Mutant.all(ROOT)) {
      Map<String, String> patched = mutant.patched(ROOT);
      assertThat(patched).as(mutant.name()).isNotEmpty();
      for (Map.Entry<String, String> file : patched.entrySet()) {
        assertThat(file.getValue())
            .as(mutant.name())
            .isNotEqualTo(Files.readString(ROOT.resolve(file.getKey())));
      }
      Path classes = mutant.build(ROOT, jar, folder.resolve(mutant.name()));
      try (Stream<Path> built = Files.walk(classes)) {
        assertThat(built.filter(Files::isRegularFile)).as(mutant.name()).isNotEmpty();
      }
    }
  }

  @Test
  void everyFaultThatAMutantNeedsExists() throws IOException {
    assertThat(Fault.all(""))
        .extracting(Fault::name)
        .containsAll(
            Mutant.all(ROOT).stream().flatMap(mutant -> mutant.faults().stream()).toList());
  }

  @Test
  void everyPromiseOfACapabilityHasAMutant() throws IOException {
    assertThat(Mutant.all(ROOT).stream().map(Mutant::promise).collect(Collectors.toSet()))
        .containsAll(
            Torture.CAPABILITIES.stream()
                .map(Capability::promises)
                .flatMap(promises -> promises.stream())
                .toList());
  }

  @Test
  void patchWhoseLinesAreGoneDoesNotApply() throws IOException {
    Files.createDirectories(folder.resolve("torture/mutants"));
    Files.writeString(folder.resolve("A.java"), "one\ntwo\nthree\n");
    String patch = "Promise: S1\nStore: redis\n--- a/A.java\n+++ b/A.java\n@@ -1 +1 @@\n";
    Path file = folder.resolve("torture/mutants/m.patch");
    Files.writeString(file, patch + " one\n-two\n+2\n three\n");
    Mutant mutant = Mutant.all(folder).getFirst();
    assertThat(mutant.promise()).isEqualTo(Promise.S1);
    assertThat(mutant.patched(folder)).isEqualTo(Map.of("A.java", "one\n2\nthree\n"));
    Files.writeString(folder.resolve("A.java"), "one\n2\nthree\n");
    assertThatThrownBy(() -> mutant.patched(folder)).hasMessageContaining("no longer has");
    assertThat(List.of(mutant.name(), mutant.store())).containsExactly("m", "redis");
  }
}
