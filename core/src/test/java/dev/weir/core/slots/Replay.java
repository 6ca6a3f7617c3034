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
    this.book = new NaiveBook(scenario.terms(), scenario.open());
    this.subject = subject;
  }

  /** An event that has a slot. */
  record Held(Wish wish, Placement.Placed placed) {}

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
          ask(ask.wish());
        }
      }
      case Scenario.Step.Cancel cancel -> cancel(cancel.event());
      case Scenario.Step.Limit limit -> change(limited(limit.maxPerWindow()), book.open());
      case Scenario.Step.Hours hours -> {
        if (hours.inForce()) {
          change(book.terms().withCalendar(scenario.terms().calendar()), scenario.open());
        } else {
          change(book.terms().withCalendar(Calendar.ALWAYS), NaiveBook.ALWAYS);
        }
      }
    }
  }

  private void ask(Wish wish) {
    Placement answer =
        switch (book.terms().spread()) {
          case EVEN -> askEvenly(wish);
          case RANDOM -> askAtRandom(wish);
        };
    if (answer instanceof Placement.Placed placed) {
      events.add(new Held(wish, placed));
      assertThat(book.taken(placed.windowStartMicros()).size())
          .as("events in the window")
          .isLessThanOrEqualTo(book.terms().maxPerWindow());
      assertThat(placed.scheduledMicros()).isBetween(book.from(wish), book.latest(wish));
      assertThat(book.isOpen(placed.scheduledMicros())).as("open").isTrue();
    }
  }

  private Placement askEvenly(Wish wish) {
    Placement answer = subject.place(wish);
    assertThat(answer).as("%s", wish).isEqualTo(book.placeEvenly(wish));
    return answer;
  }

  private Placement askAtRandom(Wish wish) {
    long expected = book.randomWindow(wish);
    Placement answer = subject.place(wish);
    switch (answer) {
      case Placement.Placed placed -> {
        long size = book.terms().windowMicros();
        assertThat(placed.windowStartMicros()).isEqualTo(expected);
        assertThat(Math.floorDiv(placed.scheduledMicros(), size) * size).isEqualTo(expected);
        assertThat(placed.lookahead()).isEqualTo((expected - windowStart(wish)) / size);
        assertThat(placed.place()).isLessThan(book.terms().maxPerWindow());
        book.take(expected, placed.place());
      }
      case Placement.NoRoom noRoom -> {
        assertThat(expected).as("%s", wish).isEqualTo(Calendar.NEVER);
        assertThat(noRoom.freeMicros()).isGreaterThanOrEqualTo(book.from(wish));
      }
      case Placement.Unknown unknown -> throw new AssertionError(unknown);
    }
    return answer;
  }

  private long windowStart(Wish wish) {
    long size = book.terms().windowMicros();
    return Math.floorDiv(book.from(wish), size) * size;
  }

  private void cancel(int number) {
    if (!events.isEmpty()) {
      Placement.Placed placed = events.remove(number % events.size()).placed();
      Window window = book.window(placed.windowStartMicros());
      book.release(placed.windowStartMicros(), placed.place());
      subject.release(window, placed.place());
    }
  }

  private Terms limited(int maxPerWindow) {
    Terms terms = book.terms();
    return new Terms(
        maxPerWindow,
        terms.windowMicros(),
        terms.spread(),
        terms.maxDelayMicros(),
        terms.notBefore(),
        terms.calendar(),
        terms.pausedUntilMicros());
  }

  private void change(Terms terms, LongPredicate open) {
    book.change(terms, open);
    subject.change(terms, book.taken().keySet().stream().map(book::window).toList());
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
      for (long start = run.getKey(); start < last; start += book.terms().windowMicros()) {
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
