package dev.weir.engine.slots;

import dev.weir.core.Micros;
import dev.weir.core.slots.Feasibility;
import dev.weir.core.slots.InvalidSlotPolicyException;
import dev.weir.core.slots.SlotPolicy;
import dev.weir.core.slots.Violation;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Configurations that refuse new terms which could not be kept: those that can never give a slot,
 * and windows that outlast the retention. A change of terms counts windows anew from their slots,
 * so slots must be kept for at least as long as a window lasts.
 */
public final class CheckedSlotConfigs implements SlotConfigs {
  private final SlotConfigs configs;
  private final Duration retention;
  private final InstantSource clock;

  /**
   * @param retention how long past slots are kept, {@link Reconciler.Settings#FOREVER} for ever
   */
  public CheckedSlotConfigs(SlotConfigs configs, Duration retention, InstantSource clock) {
    this.configs = configs;
    this.retention = retention;
    this.clock = clock;
  }

  /**
   * {@inheritDoc}
   *
   * @throws InvalidSlotPolicyException if the terms could not be kept, naming the fields
   */
  @Override
  public SlotConfig configure(String name, SlotPolicy terms) {
    List<Violation> violations = new ArrayList<>();
    if (outlastsRetention(terms)) {
      violations.add(
          new Violation(
              "windowSize",
              "must be at most the retention of slots, %s, not %s"
                  .formatted(retention, terms.window())));
    }
    Feasibility.problem(terms, Micros.ceil(clock.instant())).ifPresent(violations::add);
    if (!violations.isEmpty()) {
      throw new InvalidSlotPolicyException(violations);
    }
    return configs.configure(name, terms);
  }

  /** Returns a configuration in force whose windows outlast the retention, if there is one. */
  public Optional<SlotConfig> outlastingRetention() {
    return configs.active().stream()
        .filter(config -> outlastsRetention(config.terms()))
        .findFirst();
  }

  private boolean outlastsRetention(SlotPolicy terms) {
    return terms.window().compareTo(retention) > 0;
  }

  @Override
  public Optional<SlotConfig> inForce(String name) {
    return configs.inForce(name);
  }

  @Override
  public List<SlotConfig> history(String name) {
    return configs.history(name);
  }

  @Override
  public List<SlotConfig> active() {
    return configs.active();
  }
}
