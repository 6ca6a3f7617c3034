package dev.weir.core.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.Micros;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.LongPredicate;

/** A scenario played to a {@link Subject} and to the oracle at once, compared step by step. */
final class Replay {
  private final Scenario scenario;
  private final NaiveBook book;
  private final Subject subject;
  private final List<Held> events = new ArrayList<>();

  Replay(Scenario scenario, Subject subject) {
    this.scenario = scenario;
    this.book = new NaiveBook(scenario.policy(), scenario.open());
    this.subject = subject;
  }

  /** An event that has a slot. */
  record Held(PlacementRequest request, Placement.Placed placed) {}

  List<Held> events() {
    return events;
  }

  NaiveBook book() {
    return book;
  }

  void play(Scenario.Step step) {
    switch (step) {
      case Scenario.Step.Ask ask -> {
        for (int i = 0; i < ask.events(); i++) {
          ask(ask.request());
        }
      }
      case Scenario.Step.Cancel cancel -> cancel(cancel.event());
      case Scenario.Step.Limit limit -> change(limited(limit.maxPerWindow()), book.open());
      case Scenario.Step.Hours hours -> {
        if (hours.inForce()) {
          change(book.policy().withCalendar(scenario.policy().calendar()), scenario.open());
        } else {
          change(book.policy().withCalendar(Calendar.ALWAYS), NaiveBook.ALWAYS);
        }
      }
    }
  }

  private void ask(PlacementRequest request) {
    Placement answer =
        switch (book.policy().spread()) {
          case EVEN -> askEvenly(request);
          case RANDOM -> askAtRandom(request);
        };
    if (answer instanceof Placement.Placed placed) {
      events.add(new Held(request, placed));
      assertThat(book.taken(placed.windowStartMicros()).size())
          .as("events in the window")
          .isLessThanOrEqualTo(book.policy().maxPerWindow());
      assertThat(placed.scheduledMicros()).isBetween(book.from(request), book.latest(request));
      assertThat(book.isOpen(placed.scheduledMicros())).as("open").isTrue();
    }
  }

  private Placement askEvenly(PlacementRequest request) {
    Placement answer = subject.place(request);
    assertThat(answer).as("%s", request).isEqualTo(book.placeEvenly(request));
    return answer;
  }

  private Placement askAtRandom(PlacementRequest request) {
    long expected = book.randomWindow(request);
    Placement answer = subject.place(request);
    switch (answer) {
      case Placement.Placed placed -> {
        long size = book.policy().windowMicros();
        assertThat(placed.windowStartMicros()).isEqualTo(expected);
        assertThat(Math.floorDiv(placed.scheduledMicros(), size) * size).isEqualTo(expected);
        assertThat(placed.lookahead()).isEqualTo((expected - windowStart(request)) / size);
        assertThat(placed.place()).isLessThan(book.policy().maxPerWindow());
        book.take(expected, placed.place());
      }
      case Placement.NoRoom noRoom -> {
        assertThat(expected).as("%s", request).isEqualTo(Calendar.NEVER);
        assertThat(noRoom.freeMicros()).isGreaterThanOrEqualTo(book.from(request));
      }
      case Placement.Unknown unknown -> throw new AssertionError(unknown);
    }
    return answer;
  }

  private long windowStart(PlacementRequest request) {
    long size = book.policy().windowMicros();
    return Math.floorDiv(book.from(request), size) * size;
  }

  private void cancel(int number) {
    if (!events.isEmpty()) {
      Placement.Placed placed = events.remove(number % events.size()).placed();
      Window window = book.window(placed.windowStartMicros());
      book.release(placed.windowStartMicros(), placed.place());
      subject.release(window, placed.place());
    }
  }

  private SlotPolicy limited(int maxPerWindow) {
    SlotPolicy policy = book.policy();
    return new SlotPolicy(
        maxPerWindow,
        policy.windowMicros(),
        policy.spread(),
        policy.maxDelayMicros(),
        policy.notBefore(),
        policy.calendar(),
        policy.pausedUntilMicros());
  }

  private void change(SlotPolicy policy, LongPredicate open) {
    book.change(policy, open);
    subject.change(policy, book.taken().keySet().stream().map(book::window).toList());
  }

  /** What was written down for later is what is true. */
  void checkStoredWindows() {
    Map<Long, byte[]> windows = subject.stored().windows();
    assertThat(windows).containsOnlyKeys(book.taken().keySet());
    windows.forEach(
        (start, bytes) ->
            assertThat(Window.of(start, bytes, 0).toBytes())
                .isEqualTo(book.window(start).toBytes()));
  }

  /** Runs hold exactly the windows that have no room, each once. */
  void checkRuns(boolean complete) {
    NavigableMap<Long, Long> runs = subject.stored().runs();
    long end = Long.MIN_VALUE;
    for (Map.Entry<Long, Long> run : runs.entrySet()) {
      assertThat(run.getValue()).as("end of %s", run).isGreaterThan(run.getKey());
      if (complete) {
        assertThat(run.getKey()).as("run apart from the one before").isGreaterThan(end);
      } else {
        assertThat(run.getKey()).as("run after the one before").isGreaterThanOrEqualTo(end);
      }
      end = run.getValue();
      long last = Math.min(end, Micros.LATEST);
      for (long start = run.getKey(); start < last; start += book.policy().windowMicros()) {
        assertThat(book.hasRoom(start)).as("room in window %d of %s", start, run).isFalse();
      }
    }
    for (long start : book.taken().keySet()) {
      Map.Entry<Long, Long> run = runs.floorEntry(start);
      boolean inRun = run != null && run.getValue() > start;
      // The picture need not know that time has ends.
      if (!book.hasRoomEver(start) && book.isOpenSomewhereIn(start)) {
        assertThat(inRun).as("full window %d in a run of %s", start, runs).isTrue();
      }
    }
  }

  void checkNoRunCrosses(long barrierMicros) {
    Map.Entry<Long, Long> run = subject.stored().runs().lowerEntry(barrierMicros);
    if (run != null) {
      assertThat(run.getValue()).as("end of %s", run).isLessThanOrEqualTo(barrierMicros);
    }
  }
}
