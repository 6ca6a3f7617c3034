package dev.weir.slots.internal;

import dev.weir.internal.Micros;
import dev.weir.slots.InvalidSlotPolicyException;
import dev.weir.slots.SlotConfig;
import dev.weir.slots.SlotConfigs;
import dev.weir.slots.SlotPolicy;
import dev.weir.slots.Violation;
import dev.weir.slots.planning.internal.Feasibility;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A decorator that rejects slot policies which could not be kept: those that can never assign a
 * slot, and windows longer than the retention. A change of policy recounts windows from their
 * slots, so slots must be kept for at least the length of a window.
 */
public final class CheckedSlotConfigs implements SlotConfigs {
  private final SlotConfigs configs;
  private final Duration retention;
  private final InstantSource clock;

  /**
   * Creates a checked view of {@code configs}.
   *
   * @param retention the time for which past slots are kept; {@link Reconciler.Settings#FOREVER} to
   *     keep them forever
   */
  public CheckedSlotConfigs(SlotConfigs configs, Duration retention, InstantSource clock) {
    this.configs = configs;
    this.retention = retention;
    this.clock = clock;
  }

  /**
   * {@inheritDoc}
   *
   * @throws InvalidSlotPolicyException if the policy could not be kept, naming the fields
   */
  @Override
  public SlotConfig configure(String name, SlotPolicy policy) {
    check(policy);
    return configs.configure(name, policy);
  }

  /**
   * {@inheritDoc}
   *
   * @throws InvalidSlotPolicyException if the policy could not be kept, naming the fields
   */
  @Override
  public Optional<SlotConfig> configure(String name, int version, SlotPolicy policy) {
    check(policy);
    return configs.configure(name, version, policy);
  }

  /**
   * Throws if the policy could not be kept.
   *
   * @throws InvalidSlotPolicyException which names the fields
   */
  public void check(SlotPolicy policy) {
    List<Violation> violations = new ArrayList<>();
    if (outlastsRetention(policy)) {
      violations.add(
          new Violation(
              "windowSize",
              "must be at most the retention of slots, %s, not %s"
                  .formatted(retention, policy.window())));
    }
    Feasibility.problem(policy, Micros.ceil(clock.instant())).ifPresent(violations::add);
    if (!violations.isEmpty()) {
      throw new InvalidSlotPolicyException(violations);
    }
  }

  /** Returns a configuration in force whose windows outlast the retention, if there is one. */
  public Optional<SlotConfig> outlastingRetention() {
    return configs.active().stream()
        .filter(config -> outlastsRetention(config.policy()))
        .findFirst();
  }

  private boolean outlastsRetention(SlotPolicy policy) {
    return policy.window().compareTo(retention) > 0;
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
