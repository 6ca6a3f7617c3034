package dev.weir.server.dashboard;

import dev.weir.limits.FixedWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.register.EntryVersion;
import dev.weir.register.Register;
import dev.weir.rules.Rule;
import dev.weir.rules.RuleIndex;
import dev.weir.rules.Rules;
import dev.weir.rules.spec.Quota;
import dev.weir.rules.spec.RuleSpec;
import dev.weir.slots.Assignment;
import dev.weir.slots.OpeningHours;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotRequest;
import dev.weir.slots.SlotScheduler;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Sample configurations, rules and slots, to look at before there are others. */
final class DemoData {
  static final String BANK = "sample-bank";
  static final String LETTERS = "sample-letters";
  static final String API = "sample-api";
  static final String LOGIN = "sample-login";
  static final String TRIAL = "sample-trial";

  static final List<String> CONFIGS = List.of(BANK, LETTERS);
  static final List<String> RULES = List.of(API, LOGIN, TRIAL);

  private static final String CHANGED_BY = "sample data";
  private static final int EVENTS_OF_THE_BANK = 1_500;
  private static final int LETTERS_TO_SEND = 500;

  private final SlotScheduler scheduler;
  private final Rules rules;
  private final RuleIndex index;

  DemoData(SlotScheduler scheduler, Rules rules, RuleIndex index) {
    this.scheduler = scheduler;
    this.rules = rules;
    this.index = index;
  }

  /**
   * Makes what does not exist yet, and a backlog.
   *
   * @param run a text that distinguishes the events from those of other runs
   * @return the number of events that got a slot
   */
  int make(String run) {
    scheduler.configure(BANK, 0, SlotPolicy.of(200, Duration.ofSeconds(4)));
    scheduler.configure(
        LETTERS, 0, SlotPolicy.of(60, Duration.ofMinutes(1)).withCalendar(onWeekdays(8, 18)));
    create(RuleSpec.of(API, Quota.Rate.of(TokenBucket.of(30, Duration.ofSeconds(3)))));
    create(RuleSpec.of(LOGIN, Quota.Rate.of(FixedWindow.of(5, Duration.ofMinutes(1)))));
    create(
        RuleSpec.of(TRIAL, Quota.Rate.of(FixedWindow.of(20, Duration.ofSeconds(10))))
            .mode(RuleSpec.Mode.SHADOW));
    index.refresh();
    List<SlotRequest> events = new ArrayList<>();
    for (int i = 0; i < EVENTS_OF_THE_BANK; i++) {
      events.add(SlotRequest.now("sample-%s-payment-%d".formatted(run, i), BANK));
    }
    for (int i = 0; i < LETTERS_TO_SEND; i++) {
      events.add(SlotRequest.now("sample-%s-letter-%d".formatted(run, i), LETTERS));
    }
    // The configurations may have been given a maximum delay since they were created.
    return (int)
        scheduler.assign(events).stream().filter(Assignment.Assigned.class::isInstance).count();
  }

  /**
   * Removes the rules that were made here, not those of others with such a name. Configurations and
   * slots cannot be removed.
   */
  void removeRules() {
    for (Rule rule : rules.all()) {
      if (RULES.contains(rule.name()) && isMadeHere(rule)) {
        rules.remove(rule.id(), Register.ANY_VERSION, CHANGED_BY);
      }
    }
    index.refresh();
  }

  private boolean isMadeHere(Rule rule) {
    // The newest version is the first.
    List<EntryVersion<Rule>> versions = rules.versions(rule.id());
    return !versions.isEmpty() && versions.getLast().changedBy().equals(CHANGED_BY);
  }

  /** A rule that exists is left as it is. */
  private void create(RuleSpec spec) {
    rules.create(spec, CHANGED_BY);
  }

  private static OpeningHours onWeekdays(int fromHour, int untilHour) {
    Map<DayOfWeek, List<OpeningHours.Hours>> week = new EnumMap<>(DayOfWeek.class);
    for (DayOfWeek day : DayOfWeek.values()) {
      if (day.compareTo(DayOfWeek.SATURDAY) < 0) {
        week.put(
            day,
            List.of(OpeningHours.Hours.of(LocalTime.of(fromHour, 0), LocalTime.of(untilHour, 0))));
      }
    }
    return new OpeningHours(ZoneId.of("UTC"), week, Set.of());
  }
}
