package dev.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Those who watch, and those who do not read. */
final class ViewersTest {
  private final Viewers viewers = new Viewers();
  private final AtomicInteger cuts = new AtomicInteger();

  @Test
  void aViewerThatDoesNotReadIsCutOffAndTheOthersMissNothing() throws InterruptedException {
    Viewer slow = enter();
    Viewer prompt = enter();
    List<String> seen = new ArrayList<>();
    for (int second = 1; second <= Viewer.MAX_BEHIND + 5; second++) {
      viewers.publish(sample(second));
      seen.add(text(prompt.next()));
    }
    assertThat(seen).hasSize(Viewer.MAX_BEHIND + 5).doesNotHaveDuplicates();
    assertThat(seen.getLast()).startsWith("id: 20\nevent: sample\ndata: {\"second\":20,");
    assertThat(cuts).hasValue(1);
    assertThat(slow.next()).as("nothing of what it missed").isEmpty();
    assertThat(viewers.count()).isEqualTo(1);
  }

  @Test
  void thereIsAMaxNumberOfViewers() {
    List<Viewer> all = new ArrayList<>();
    for (int i = 0; i < Viewers.MAX_VIEWERS; i++) {
      all.add(enter());
    }
    assertThat(viewers.enter(cuts::incrementAndGet)).isEmpty();
    all.getFirst().leave();
    all.getFirst().leave();
    assertThat(viewers.enter(cuts::incrementAndGet)).isPresent();
    assertThat(viewers.enter(cuts::incrementAndGet)).isEmpty();
    assertThat(cuts).as("who leaves is not cut off").hasValue(0);
  }

  @Test
  void theEndIsAnEventAndComesInPlaceOfWhatWaits() throws InterruptedException {
    Viewer viewer = enter();
    viewers.publish(sample(1));
    viewers.end();
    viewers.publish(sample(2));

    assertThat(text(viewer.next())).isEqualTo("event: end\ndata: {\"reason\":\"draining\"}\n\n");
    assertThat(viewer.next()).isEmpty();
    assertThat(viewers.isEmpty()).isTrue();
    Viewer late = enter();
    assertThat(text(late.next())).startsWith("event: end\n");
    assertThat(late.next()).isEmpty();
  }

  @Test
  void nobodyKeepsAPlaceWithoutAskingForItAgain() throws InterruptedException {
    Viewer viewer = enter();
    for (int second = 1; second < Viewer.MAX_SAMPLES; second++) {
      viewers.publish(sample(second));
      viewer.next();
    }
    assertThat(viewers.count()).isEqualTo(1);
    viewers.publish(sample(Viewer.MAX_SAMPLES));
    assertThat(text(viewer.next())).isEqualTo("event: end\ndata: {\"reason\":\"renew\"}\n\n");
    assertThat(viewer.next()).isEmpty();
    assertThat(viewers.isEmpty()).isTrue();
    assertThat(cuts).as("it ends in order").hasValue(0);
  }

  @Test
  void aSampleThatWasSentIsNotSentAgain() throws InterruptedException {
    Viewer viewer = enter();
    viewers.publish(sample(6));
    viewers.publish(sample(7));
    viewers.publish(sample(8));
    viewer.sentUpTo(7);
    assertThat(text(viewer.next())).startsWith("id: 8\n");
  }

  private Viewer enter() {
    return viewers.enter(cuts::incrementAndGet).orElseThrow();
  }

  private static ServerSentEvent sample(long second) {
    return ServerSentEvent.of(new Sample(second));
  }

  private static String text(Optional<byte[]> event) {
    return new String(event.orElseThrow(), StandardCharsets.UTF_8);
  }
}
