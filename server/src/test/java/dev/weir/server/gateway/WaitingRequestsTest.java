package dev.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;

/** Requests get connections to an upstream in the order of their arrival. */
final class WaitingRequestsTest {
  private final WaitingRequests waiting = new WaitingRequests();
  private final List<Request> queued = new ArrayList<>();
  private final List<Request> served = new ArrayList<>();

  enum Step {
    WHOLE,
    UNFINISHED,
    ARRIVE,
    LEAVE,
    POLL,
    FINISH
  }

  /** The oracle is a list: the next is the first of it that may use a connection. */
  @Property(tries = 500)
  void theLongestWaitingOfThoseThatMayIsNext(
      @ForAll @Size(max = 60) List<Step> steps, @ForAll @IntRange(min = 1, max = 6) int max) {
    for (Step step : steps) {
      switch (step) {
        case WHOLE -> add(new Request(true));
        case UNFINISHED -> add(new Request(false));
        case ARRIVE -> arrive();
        case LEAVE -> leave();
        case POLL -> poll(max);
        case FINISH -> finish();
      }
      assertThat(unfinished()).isLessThanOrEqualTo(Math.ceilDiv(max, 2));
    }
    while (!served.isEmpty() && unfinished() > 0) {
      finish();
    }
    while (expected(max) != null) {
      poll(max);
      finish();
    }
    assertThat(queued).isEmpty();
    waiting.sweep();
    assertThat(waiting.isEmpty()).isTrue();
  }

  private void add(Request request) {
    waiting.addLast(request);
    queued.add(request);
  }

  /** The body of the request arrives that is queued last. */
  private void arrive() {
    if (!queued.isEmpty() && !queued.getLast().isWhole) {
      queued.getLast().isWhole = true;
      waiting.arrived(queued.getLast());
    }
  }

  private void leave() {
    if (!queued.isEmpty()) {
      queued.removeFirst().isConnecting = false;
    }
  }

  private void poll(int max) {
    Request expected = expected(max);
    assertThat(waiting.poll(max)).isSameAs(expected);
    if (expected != null) {
      assertThat(waiting.use(expected)).isEqualTo(!expected.isWhole);
      queued.remove(expected);
      served.add(expected);
    }
  }

  private @Nullable Request expected(int max) {
    boolean hasShare = unfinished() < Math.ceilDiv(max, 2);
    return queued.stream().filter(request -> request.isWhole || hasShare).findFirst().orElse(null);
  }

  private void finish() {
    served.stream()
        .filter(request -> !request.isWhole)
        .findFirst()
        .ifPresent(
            request -> {
              served.remove(request);
              waiting.finished();
            });
  }

  private long unfinished() {
    return served.stream().filter(request -> !request.isWhole).count();
  }

  private static final class Request implements UpstreamPool.Waiting {
    private boolean isWhole;
    private boolean isConnecting = true;

    Request(boolean isWhole) {
      this.isWhole = isWhole;
    }

    @Override
    public boolean isConnecting() {
      return isConnecting;
    }

    @Override
    public boolean isWhole() {
      return isWhole;
    }

    @Override
    public void connected(UpstreamConnection connection) {}

    @Override
    public void unreachable(Throwable cause) {}
  }
}
