package dev.weir.slots;

import static java.util.Objects.requireNonNull;

import dev.weir.Violation;
import dev.weir.internal.Micros;
import dev.weir.internal.SlotNames;
import dev.weir.slots.planning.internal.Feasibility;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Changes of configurations, which rejects slot policies that could not be kept: those that can
 * never assign a slot, and windows longer than the retention. A change of policy recounts windows
 * from their slots, so slots must be kept for at least the length of a window.
 */
final class CheckedSlotConfigs {
  private final SlotConfigs configs;
  private final ConfigCache cache;
  private final Duration retention;
  private final InstantSource clock;

  /**
   * @param cache drops what is changed here
   * @param retention the time for which past slots are kept
   */
  CheckedSlotConfigs(
      SlotConfigs configs, ConfigCache cache, Duration retention, InstantSource clock) {
    this.configs = configs;
    this.cache = cache;
    this.retention = retention;
    this.clock = clock;
  }

  /** Returns the version in force if it has this policy, otherwise makes it the next version. */
  SlotConfig configure(String name, SlotPolicy policy) {
    requireNamed(name, policy);
    Optional<SlotConfig> inForce =
        configs.inForce(name).filter(config -> config.policy().equals(policy));
    SlotConfig config =
        inForce.orElseGet(
            () -> {
              check(policy);
              return configs.configure(name, policy);
            });
    cache.forget(name);
    return config;
  }

  /** Makes the policy the next version if {@code version} is in force. */
  Optional<SlotConfig> configure(String name, int version, SlotPolicy policy) {
    requireNamed(name, policy);
    check(policy);
    Optional<SlotConfig> config = configs.configure(name, version, policy);
    cache.forget(name);
    return config;
  }

  private static void requireNamed(String name, SlotPolicy policy) {
    requireNonNull(name, "name");
    requireNonNull(policy, "policy");
    SlotNames.configNameProblem(name)
        .ifPresent(
            problem -> {
              throw new IllegalArgumentException("name " + problem);
            });
  }

  /**
   * Throws if the policy could not be kept.
   *
   * @throws InvalidSlotPolicyException which names the fields
   */
  void check(SlotPolicy policy) {
    List<Violation> violations = new ArrayList<>();
    if (policy.window().compareTo(retention) > 0) {
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
}
