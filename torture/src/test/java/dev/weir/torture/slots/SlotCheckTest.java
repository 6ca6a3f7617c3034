package dev.weir.torture.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.torture.capability.Findings;
import dev.weir.torture.capability.Promise;
import dev.weir.torture.capability.Violation;
import dev.weir.torture.history.Exchange;
import dev.weir.torture.slots.SlotFacts.Stored;
import dev.weir.torture.slots.SlotFacts.Version;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Answers and stored slots that keep or break a promise. */
final class SlotCheckTest {
  private static final String TIGHT = SlotConfig.TIGHT.name("r");
  private static final String HOURS = SlotConfig.HOURS.name("r");

  private final List<Exchange> exchanges = new ArrayList<>();
  private final List<Stored> stored = new ArrayList<>();
  private long seconds;

  /** What a restore may have lost. */
  private Predicate<Exchange> lost = exchange -> false;

  private void exchange(String kind, String id, String request, int status, String answer) {
    seconds++;
    long nanos = seconds * 1_000_000_000L;
    exchanges.add(
        new Exchange(
            seconds,
            kind,
            id,
            1,
            request.replace('\'', '"'),
            nanos,
            SlotConfig.BEGIN.plusSeconds(seconds),
            nanos + 1,
            status,
            answer.replace('\'', '"')));
  }

  private static Instant at(double after) {
    return SlotConfig.BEGIN.plus(Duration.ofNanos(Math.round(after * 1e9)));
  }

  private static long micros(double after) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, at(after));
  }

  private void ask(String config, String id, double requested, int status, String answer) {
    String request =
        "{'eventId':'%s','configName':'%s','requestedTime':'%s'}"
            .formatted(id, config, at(requested));
    exchange("ask", id, request, status, answer);
  }

  private void give(String config, String id, double requested, double scheduled) {
    boolean isReplay =
        exchanges.stream().anyMatch(before -> before.subject().equals(id) && before.isDone());
    String slot =
        "{'scheduledTime':'%s','replayed':%s,'configVersion':1}".formatted(at(scheduled), isReplay);
    ask(config, id, requested, 200, slot);
  }

  private void store(String config, String id, double scheduled, int state) {
    stored.add(new Stored(config, id, micros(scheduled), state, 1));
  }

  private List<Promise> broken() {
    return violations().stream().map(Violation::promise).distinct().toList();
  }

  private List<Violation> violations() {
    Findings findings = new Findings(EnumSet.allOf(Promise.class));
    SlotFacts facts =
        SlotFacts.of(exchanges, stored, Map.of(TIGHT, Map.of(1, new Version(7, 1_000_000))));
    facts.forget(lost);
    SlotCheck.check(facts, "r", findings);
    return findings.violations();
  }

  @Test
  void eventThatHasItsSlotKeepsAllPromises() {
    give(TIGHT, "e", 0, 0);
    give(TIGHT, "e", 0, 0);
    store(TIGHT, "e", 0, 0);
    assertThat(broken()).isEmpty();
  }

  @Test
  void oneEventTooManyBreaksS1() {
    for (int i = 0; i < 8; i++) {
      give(TIGHT, "e" + i, 0, i * 0.125);
      store(TIGHT, "e" + i, i * 0.125, 0);
    }
    assertThat(broken()).contains(Promise.S1);
  }

  @Test
  void slotBeforeItsTimeOrInClosedTimeBreaksS2() {
    give(TIGHT, "e", 3.5, 3.25);
    store(TIGHT, "e", 3.25, 0);
    assertThat(broken()).containsExactly(Promise.S2);
  }

  @Test
  void slotInClosedTimeBreaksS2() {
    exchange("configure", HOURS, SlotConfig.HOURS.json("r"), 201, "{'version':1}");
    give(HOURS, "e", 0, 3_600);
    store(HOURS, "e", 3_600, 0);
    assertThat(broken()).isEmpty();
    give(HOURS, "f", 0, 10);
    store(HOURS, "f", 10, 0);
    assertThat(broken()).containsExactly(Promise.S2);
  }

  @Test
  void secondSlotBreaksS3UnlessTheFirstWasCancelled() {
    give(TIGHT, "e", 0, 0);
    exchange("cancel", "e", "/e", 204, "");
    give(TIGHT, "e", 0, 0.5);
    store(TIGHT, "e", 0.5, 0);
    assertThat(broken()).isEmpty();
    give(TIGHT, "f", 0, 0.25);
    give(TIGHT, "f", 0, 0.75);
    store(TIGHT, "f", 0.75, 0);
    assertThat(broken()).contains(Promise.S3);
  }

  @Test
  void slotThatARestoreMayHaveLostIsExcusedAndNoOther() {
    give(TIGHT, "lost", 0, 0);
    give(TIGHT, "kept", 0, 0.5);
    lost = exchange -> exchange.subject().equals("lost");
    assertThat(broken()).containsExactly(Promise.S6);
    assertThat(violations()).hasSize(1);
  }

  @Test
  void freePlaceBeforeAnEventBreaksS4() {
    give(TIGHT, "e", 0, 1);
    store(TIGHT, "e", 1, 0);
    assertThat(broken()).containsExactly(Promise.S4);
  }

  @Test
  void placeThatIsTakenLaterDoesNotExcuseALateSlot() {
    give(TIGHT, "e", 0, 1);
    store(TIGHT, "e", 1, 0);
    for (int i = 0; i < 7; i++) {
      give(TIGHT, "later" + i, 0, i * 0.125);
      store(TIGHT, "later" + i, i * 0.125, 0);
    }
    assertThat(broken()).containsExactly(Promise.S4);
  }

  @Test
  void eventsSideBySideBreakS5() {
    for (int i = 0; i < 4; i++) {
      give(TIGHT, "e" + i, 0, i * 0.001);
      store(TIGHT, "e" + i, i * 0.001, 0);
    }
    assertThat(broken()).containsExactly(Promise.S5);
  }

  @Test
  void slotThatIsNotStoredBreaksS6() {
    give(TIGHT, "e", 0, 0);
    assertThat(broken()).containsExactly(Promise.S6);
  }

  @Test
  void storedSlotOfARequestThatDidNothingBreaksS6() {
    ask(TIGHT, "e", 0, 503, "{'outcome':'unknown'}");
    store(TIGHT, "e", 0, 0);
    assertThat(broken()).isEmpty();
    ask(TIGHT, "f", 0, 503, "{'outcome':'none'}");
    store(TIGHT, "f", 0.5, 0);
    assertThat(broken()).containsExactly(Promise.S6);
  }

  @Test
  void endingThatIsNotStoredBreaksS6() {
    give(TIGHT, "e", 0, 0);
    exchange("confirm", "e", "", 200, "{}");
    store(TIGHT, "e", 0, 0);
    assertThat(broken()).containsExactly(Promise.S6);
  }

  @Test
  void slotInAPauseBreaksS2() {
    String paused = SlotConfig.PAUSED.name("r");
    String until = "{'pausedUntil':'%s'}".formatted(at(60));
    exchange("configure", paused, until, 201, "{'version':1}");
    give(paused, "e", 0, 60);
    store(paused, "e", 60, 0);
    assertThat(broken()).isEmpty();
    give(paused, "f", 0, 59);
    store(paused, "f", 59, 0);
    assertThat(broken()).containsExactly(Promise.S2);
  }

  @Test
  void slotLaterThanMaxDelayBreaksS2() {
    String delayed = SlotConfig.DELAYED.name("r");
    fill(delayed, 3);
    give(delayed, "e", 0, 3);
    store(delayed, "e", 3, 0);
    assertThat(broken()).isEmpty();
    give(delayed, "f", 0, 3.25);
    store(delayed, "f", 3.25, 0);
    assertThat(broken()).containsExactly(Promise.S2);
  }

  /** Gives all places of the first windows of {@link SlotConfig#DELAYED}. */
  private void fill(String config, int windows) {
    for (int i = 0; i < 4 * windows; i++) {
      give(config, "filling" + i, 0, i * 0.25);
      store(config, "filling" + i, i * 0.25, 0);
    }
  }

  @Test
  void refusalBesideAFreePlaceBreaksS4() {
    String delayed = SlotConfig.DELAYED.name("r");
    String refusal = "{'type':'urn:weir:problem:no-capacity'}";
    fill(delayed, 3);
    ask(delayed, "e", 0, 503, refusal);
    assertThat(broken()).isEmpty();
    ask(delayed, "f", 1, 503, refusal);
    assertThat(broken()).containsExactly(Promise.S4);
  }

  @Test
  void refusedConfirmationBreaksS7UnlessTheSlotHasLeaked() {
    String leaking = SlotConfig.LEAKING.name("r");
    give(leaking, "e", 0, 0);
    seconds += 6;
    exchange("confirm", "e", "", 409, "{}");
    store(leaking, "e", 0, 3);
    assertThat(broken()).isEmpty();
    give(leaking, "f", 0, 0.25);
    exchange("confirm", "f", "", 409, "{}");
    store(leaking, "f", 0.25, 3);
    assertThat(broken()).containsExactly(Promise.S7);
  }

  @Test
  void reclaimedSlotThatWasConfirmedBreaksS7() {
    String leaking = SlotConfig.LEAKING.name("r");
    give(leaking, "e", 0, 0);
    exchange("confirm", "e", "", 200, "{}");
    store(leaking, "e", 0, 3);
    assertThat(broken()).containsExactly(Promise.S7);
  }

  @Test
  void secondSlotBreaksS3UnlessTheFirstHasLeaked() {
    String leaking = SlotConfig.LEAKING.name("r");
    give(leaking, "e", 0, 0);
    seconds += 6;
    give(leaking, "e", 0, 0.25);
    store(leaking, "e", 0.25, 0);
    assertThat(broken()).isEmpty();
    give(leaking, "f", 0, 1);
    give(leaking, "f", 0, 1.25);
    store(leaking, "f", 1.25, 0);
    assertThat(broken()).containsExactly(Promise.S3);
  }

  @Test
  void slotOfAnEarlierVersionBreaksS8() {
    exchange("configure", HOURS, "{}", 201, "{'version':1}");
    give(HOURS, "e", 0, 0);
    store(HOURS, "e", 0, 0);
    assertThat(broken()).isEmpty();
    exchange("configure", HOURS, "{}", 201, "{'version':2}");
    give(HOURS, "f", 0, 0.2);
    store(HOURS, "f", 0.2, 0);
    assertThat(broken()).containsExactly(Promise.S8);
  }
}
