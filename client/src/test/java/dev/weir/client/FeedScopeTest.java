package dev.weir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class FeedScopeTest {
  /** A proxy makes the path of all feeds out of {@code feeds/./cancel}. */
  @Test
  void oneFeedIsNeverTakenForAll() {
    for (String id : List.of("", " ", ".", "..")) {
      assertThatThrownBy(() -> FeedScope.of(id))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("feedId must not be");
    }
    assertThat(FeedScope.of("...")).isEqualTo(new FeedScope.One("..."));
  }
}
