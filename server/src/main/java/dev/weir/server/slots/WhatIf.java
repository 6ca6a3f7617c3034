package dev.weir.server.slots;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.http.fields.Fields;
import dev.weir.internal.Micros;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import dev.weir.slots.planning.internal.Backlog;
import dev.weir.slots.planning.internal.PeakRate;
import dev.weir.slots.planning.internal.WindowCells;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The events ahead of a configuration, and how they would lie under the policy in force and under
 * another one.
 *
 * @param isComplete false if there are more windows with events than were read, or later ones than
 *     a forecast reaches
 */
record WhatIf(
    WhatIfRequest request,
    Optional<SlotConfig> config,
    Instant now,
    long backlog,
    boolean isComplete,
    OccupancySpan span,
    Optional<Course> current,
    Course changed) {
  private static final Duration MIN_LENGTH = Duration.ofMinutes(1);

  /** The windows that events would use under a policy. */
  record Course(SlotPolicy policy, List<Backlog.Fill> fills, Backlog.Outcome outcome) {
    static Course of(SlotPolicy policy, List<Backlog.Demand> demands, long untilMicros) {
      List<Backlog.Fill> fills = new ArrayList<>();
      return new Course(policy, fills, Backlog.replay(policy, demands, untilMicros, fills::add));
    }

    /** Returns where placed events lie, and where further ones would. */
    static Course withMore(
        SlotPolicy policy, List<Backlog.Load> loads, Backlog.Demand more, long untilMicros) {
      List<Backlog.Fill> fills = new ArrayList<>();
      return new Course(policy, fills, Backlog.add(policy, loads, more, untilMicros, fills::add));
    }

    /** Returns where events lie that were placed, which may be more than the limit by now. */
    static Course asPlaced(SlotPolicy policy, List<Backlog.Load> loads) {
      List<Backlog.Fill> fills =
          loads.stream()
              .map(load -> new Backlog.Fill(load.startMicros(), 1, load.events()))
              .toList();
      long end =
          loads.isEmpty()
              ? Backlog.Outcome.NOTHING
              : loads.getLast().startMicros() + policy.windowMicros();
      return new Course(policy, fills, new Backlog.Outcome(end, 0));
    }

    private void write(JsonGenerator json, String name, OccupancySpan span) throws IOException {
      WindowCells cells = span.newCells();
      for (Backlog.Fill fill : fills) {
        cells.add(fill, policy.windowMicros());
      }
      json.writeObjectFieldStart(name);
      if (outcome.endMicros() != Backlog.Outcome.NOTHING) {
        json.writeStringField("endsAt", OccupancySpan.instant(outcome.endMicros()).toString());
      }
      json.writeNumberField("unplaced", outcome.unplaced());
      OccupancyJson.writeCells(json, span, cells, policy);
      json.writeEndObject();
    }
  }

  /**
   * Reads the events ahead, from the current window on, and forecasts their course.
   *
   * @param config the configuration in force; empty if there is none
   */
  static WhatIf of(WhatIfRequest request, Optional<SlotConfig> config, SlotScheduler slots) {
    Instant now = slots.now();
    long nowMicros = Micros.ceil(now);
    long horizon = Math.min(Micros.LATEST, nowMicros + Micros.floor(OccupancySpan.MAX_LENGTH));
    WindowLoads loads =
        config
            .map(
                known ->
                    WindowLoads.read(slots, known, known.policy().windowStart(nowMicros), horizon))
            .orElse(new WindowLoads(List.of(), horizon));
    List<Backlog.Demand> demands = new ArrayList<>();
    config.ifPresent(known -> demands.addAll(Backlog.demands(known.policy(), loads.loads())));
    Backlog.Demand more = new Backlog.Demand(nowMicros, request.moreEvents());
    if (request.moreEvents() > 0) {
      demands.add(more);
      demands.sort(Comparator.comparingLong(Backlog.Demand::fromMicros));
    }
    Optional<Course> current =
        config.map(
            known ->
                request.moreEvents() == 0
                    ? Course.asPlaced(known.policy(), loads.loads())
                    : Course.withMore(known.policy(), loads.loads(), more, horizon));
    Course changed = Course.of(request.policy(), demands, horizon);
    return new WhatIf(
        request,
        config,
        now,
        loads.events(),
        loads.isCompleteUntil(horizon)
            && config.filter(known -> WindowLoads.isAnyFrom(slots, known, horizon)).isEmpty(),
        span(request, nowMicros, horizon, current, changed),
        current,
        changed);
  }

  /** Returns the requested span, or one that shows the end of both courses. */
  private static OccupancySpan span(
      WhatIfRequest request, long now, long horizon, Optional<Course> current, Course changed) {
    long from = request.from().map(Micros::ceil).orElse(now);
    long end =
        Math.max(
            changed.outcome().endMicros(),
            current.map(course -> course.outcome().endMicros()).orElse(Long.MIN_VALUE));
    long to =
        request
            .to()
            .map(Micros::ceil)
            .orElse(Math.min(Math.max(end, from + Micros.floor(MIN_LENGTH)), horizon));
    Fields fields = Fields.of(Map.of());
    OccupancyEndpoints.refuseWrongSpan(fields, from, to);
    fields.throwIfWrong();
    SlotPolicy policy = current.map(Course::policy).orElse(changed.policy());
    // A cell has windows of both policies.
    long minCell = Math.max(policy.windowMicros(), changed.policy().windowMicros());
    return OccupancySpan.of(policy, from, to, request.maxCells(), minCell);
  }

  void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("configName", request.configName());
    json.writeNumberField("configVersion", config.map(SlotConfig::version).orElse(0));
    json.writeStringField("now", now.toString());
    OccupancyJson.writeSpan(json, span);
    json.writeNumberField("backlog", backlog);
    json.writeBooleanField("complete", isComplete);
    json.writeNumberField("peakPerSecond", PeakRate.perSecond(request.policy()));
    if (current.isPresent()) {
      current.get().write(json, "current", span);
    }
    changed.write(json, "changed", span);
    json.writeEndObject();
  }
}
