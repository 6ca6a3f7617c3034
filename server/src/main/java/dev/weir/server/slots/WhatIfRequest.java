package dev.weir.server.slots;

import dev.weir.Violation;
import dev.weir.http.fields.Fields;
import dev.weir.internal.SlotNames;
import dev.weir.slots.InvalidSlotPolicyException;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import java.time.Instant;
import java.util.Optional;

/**
 * A question how the events of a configuration would lie under another policy.
 *
 * @param moreEvents further events that come now
 * @param from the start of the strip; from now on if empty
 * @param to the end of the strip; the end of the events if empty
 */
record WhatIfRequest(
    String configName,
    SlotPolicy policy,
    long moreEvents,
    Optional<Instant> from,
    Optional<Instant> to,
    int maxCells) {
  private static final long MAX_EVENTS = 1_000_000_000L;

  /**
   * Reads a question.
   *
   * @param slots checks the policy as if it were to be stored
   * @throws dev.weir.http.problems.ProblemException if it is invalid, naming every invalid field
   */
  static WhatIfRequest read(Fields fields, String defaultConfig, SlotScheduler slots) {
    String name = fields.text("configName", defaultConfig, SlotNames::configNameProblem);
    long moreEvents = fields.whole("moreEvents", 0, MAX_EVENTS).orElse(0L);
    Optional<Instant> from = fields.time("from");
    Optional<Instant> to = fields.time("to");
    long cells =
        fields
            .whole("cells", 1, OccupancySpan.MAX_CELLS)
            .orElse((long) OccupancySpan.DEFAULT_CELLS);
    Optional<SlotPolicy> policy =
        fields
            .required("policy", fields.object("policy"))
            .map(members -> readPolicy(members, slots));
    fields.refuseOthers();
    fields.throwIfWrong();
    return new WhatIfRequest(name, policy.orElseThrow(), moreEvents, from, to, (int) cells);
  }

  private static SlotPolicy readPolicy(Fields members, SlotScheduler slots) {
    SlotPolicy policy = ConfigJson.readPolicy(members);
    if (!members.isWrong()) {
      try {
        slots.check(policy);
      } catch (InvalidSlotPolicyException e) {
        for (Violation violation : e.violations()) {
          members.wrong(
              ConfigJson.fieldOf(violation, ConfigJson.sizeField(members)), violation.message());
        }
      }
    }
    return policy;
  }
}
