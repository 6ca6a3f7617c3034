package dev.weir.node.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OpenPartsTest {
  @Test
  void closesEachPartWhateverAnotherThrows() {
    List<String> closed = new ArrayList<>();
    OpenParts parts = new OpenParts();
    parts.add(() -> closed.add("first"));
    parts.add(
        () -> {
          throw new NoClassDefFoundError("for the test");
        });
    parts.add(
        () -> {
          throw new IllegalStateException("for the test");
        });
    parts.add(() -> closed.add("last"));
    parts.close();
    assertThat(closed).containsExactly("last", "first");
  }
}
