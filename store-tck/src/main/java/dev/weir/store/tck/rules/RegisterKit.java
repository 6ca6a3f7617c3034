package dev.weir.store.tck.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.register.Change;
import dev.weir.register.Entry;
import dev.weir.register.EntryVersion;
import dev.weir.register.Register;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** The compatibility kit of registers of versioned entries. */
public abstract class RegisterKit<T, E extends Entry<T>> {
  private static final String ME = "me";
  private static final int CALLERS = 8;

  private final String title = "/" + UUID.randomUUID();

  /** Returns the register under test, which may contain other entries. */
  protected abstract Register<T, E> register();

  /** Returns a spec with this title, which begins with a slash. */
  protected abstract T titled(String title);

  /** Returns specs of every variety, each with an unused title. */
  protected abstract List<T> variety();

  @Test
  void findsAnEntryAsItWasMade() {
    for (T spec : variety()) {
      E made = done(register().create(spec, ME)).entry();

      assertThat(made.spec()).isEqualTo(spec);
      assertThat(made.version()).isEqualTo(1);
      assertThat(made.updatedAt()).isEqualTo(made.createdAt());
      assertThat(register().find(made.id())).contains(made);
      assertThat(register().all()).contains(made);
    }
  }

  @Test
  void tellsWhoMadeEachVersionTheNewestFirst() {
    E made = done(register().create(titled(title), "one")).entry();
    E changed = done(register().change(made.id(), 1, titled(title + "/2"), "two")).entry();

    assertThat(register().versions(made.id()))
        .containsExactly(
            new EntryVersion<>(changed, "two", false), new EntryVersion<>(made, "one", false));
    assertThat(register().versions(Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void aChangeIsTheNextVersionAndAnotherTitleIsAllowed() {
    E made = done(register().create(titled(title), ME)).entry();

    Change.Done<E> changed = done(register().change(made.id(), 1, titled(title + "/2"), ME));

    assertThat(changed.before()).contains(made);
    assertThat(changed.entry().version()).isEqualTo(2);
    assertThat(changed.entry().spec()).isEqualTo(titled(title + "/2"));
    assertThat(changed.entry().createdAt()).isEqualTo(made.createdAt());
    assertThat(register().find(made.id())).contains(changed.entry());
    assertThat(register().create(titled(title), ME)).isInstanceOf(Change.Done.class);
  }

  @Test
  void whoKnowsAnOlderVersionChangesNothing() {
    E made = done(register().create(titled(title), ME)).entry();
    E current = done(register().change(made.id(), Register.ANY_VERSION, titled(title), ME)).entry();

    assertThat(register().change(made.id(), 1, titled(title + "/2"), ME))
        .isEqualTo(new Change.Stale<>(current));
    assertThat(register().remove(made.id(), 1, ME)).isEqualTo(new Change.Stale<>(current));
    assertThat(register().find(made.id())).contains(current);
  }

  @Test
  void aTitleBelongsToOneEntryUntilThatIsRemoved() {
    E made = done(register().create(titled(title), ME)).entry();
    E other = done(register().create(titled(title + "/2"), ME)).entry();

    assertThat(register().create(titled(title), ME)).isInstanceOf(Change.Taken.class);
    assertThat(register().change(other.id(), Register.ANY_VERSION, titled(title), ME))
        .isInstanceOf(Change.Taken.class);

    assertThat(done(register().remove(made.id(), 1, ME)).before()).contains(made);
    E again = done(register().create(titled(title), ME)).entry();
    assertThat(again.id()).isNotEqualTo(made.id());
  }

  @Test
  void whatWasRemovedIsUnknown() {
    E made = done(register().create(titled(title), ME)).entry();
    register().remove(made.id(), Register.ANY_VERSION, ME);

    assertThat(register().find(made.id())).isEmpty();
    assertThat(register().all()).extracting(Entry::id).doesNotContain(made.id());
    assertThat(register().remove(made.id(), Register.ANY_VERSION, ME))
        .isInstanceOf(Change.Unknown.class);
    for (long id : List.of(made.id(), Long.MAX_VALUE)) {
      assertThat(register().change(id, Register.ANY_VERSION, titled(title), ME))
          .isInstanceOf(Change.Unknown.class);
    }
  }

  /** What has cached or counted a removed entry must not take another for an earlier version. */
  @Test
  void versionsOfATitleIncreaseEvenIfItsEntryIsRemovedOrRenamed() {
    E made = done(register().create(titled(title), ME)).entry();
    E changed = done(register().change(made.id(), 1, titled(title), ME)).entry();
    register().remove(made.id(), Register.ANY_VERSION, ME);

    E again = done(register().create(titled(title), ME)).entry();
    assertThat(again.version()).isGreaterThan(changed.version());
    assertThat(again.updatedAt()).isAfter(changed.updatedAt()).isEqualTo(again.createdAt());
    assertThat(register().find(again.id())).contains(again);
    assertThat(register().versions(again.id()))
        .containsExactly(new EntryVersion<>(again, ME, false));

    register().change(again.id(), again.version(), titled(title + "/2"), ME);
    E other = done(register().create(titled(title + "/3"), ME)).entry();
    E taken = done(register().change(other.id(), 1, titled(title), ME)).entry();
    assertThat(taken.version()).isGreaterThan(again.version());
    assertThat(taken.updatedAt()).isAfter(again.updatedAt());
    assertThat(taken.createdAt()).isEqualTo(other.createdAt());
    assertThat(register().find(other.id())).contains(taken);
  }

  @Test
  void ofManyThatChangeTheSameVersionOneWins() throws Exception {
    E made = done(register().create(titled(title), ME)).entry();

    assertThat(won(() -> register().change(made.id(), 1, titled(title), ME))).isEqualTo(1);
    assertThat(register().find(made.id()).orElseThrow().version()).isEqualTo(2);
  }

  @Test
  void ofManyThatMakeTheSameTitleOneWins() throws Exception {
    assertThat(won(() -> register().create(titled(title), ME))).isEqualTo(1);
    assertThat(register().all())
        .extracting(entry -> register().title(entry.spec()))
        .containsOnlyOnce(register().title(titled(title)));
  }

  /** Returns how many of many concurrent callers succeed with a change. */
  private int won(Callable<Change<E>> change) throws Exception {
    List<FutureTask<Change<E>>> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      callers.add(new FutureTask<>(change));
    }
    callers.forEach(Thread.ofVirtual()::start);
    int won = 0;
    for (FutureTask<Change<E>> caller : callers) {
      won += caller.get() instanceof Change.Done ? 1 : 0;
    }
    return won;
  }

  private Change.Done<E> done(Change<E> change) {
    assertThat(change).isInstanceOf(Change.Done.class);
    return (Change.Done<E>) change;
  }
}
