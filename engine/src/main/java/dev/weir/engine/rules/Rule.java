package dev.weir.engine.rules;

import dev.weir.engine.limits.LimitNames;
import dev.weir.engine.limits.OnStoreFailure;
import dev.weir.engine.register.Entry;
import java.time.Instant;

/** A version of a rule. */
public record Rule(long id, int version, Terms terms, Instant createdAt, Instant updatedAt)
    implements Entry<Rule.Terms> {
  public String name() {
    return terms.name();
  }

  /**
   * The content of a rule.
   *
   * @param coverage which requests it covers; callers may also name the rule
   * @param allowance what it allows
   * @param priority of the rules that cover a request, only those with the highest priority apply
   * @param isActive false to allow everything and count nothing
   */
  public record Terms(
      String name,
      Coverage coverage,
      Quota allowance,
      OnStoreFailure onStoreFailure,
      int priority,
      Mode mode,
      boolean isActive) {
    public static final int MAX_PRIORITY = 1_000_000;

    public Terms {
      LimitNames.problem(name)
          .ifPresent(
              problem -> {
                throw new IllegalArgumentException("name " + problem);
              });
      if (Math.abs(priority) > MAX_PRIORITY) {
        throw new IllegalArgumentException(
            "priority must be from %d to %d, not %d"
                .formatted(-MAX_PRIORITY, MAX_PRIORITY, priority));
      }
      if (allowance instanceof Quota.Together
          && onStoreFailure != OnStoreFailure.CLOSED
          && onStoreFailure != OnStoreFailure.OPEN) {
        throw new IllegalArgumentException(
            "onStoreFailure of a concurrency must be closed or open, not " + onStoreFailure);
      }
    }

    /** Returns an active rule that applies by name only. */
    public static Terms of(String name, Quota allowance) {
      return new Terms(
          name, Coverage.BY_NAME, allowance, OnStoreFailure.CLOSED, 0, Mode.ENFORCE, true);
    }

    public Terms covering(Coverage other) {
      return new Terms(name, other, allowance, onStoreFailure, priority, mode, isActive);
    }

    public Terms onStoreFailure(OnStoreFailure other) {
      return new Terms(name, coverage, allowance, other, priority, mode, isActive);
    }

    public Terms priority(int other) {
      return new Terms(name, coverage, allowance, onStoreFailure, other, mode, isActive);
    }

    public Terms mode(Mode other) {
      return new Terms(name, coverage, allowance, onStoreFailure, priority, other, isActive);
    }

    public Terms active(boolean other) {
      return new Terms(name, coverage, allowance, onStoreFailure, priority, mode, other);
    }

    public Terms allowing(Quota other) {
      return new Terms(name, coverage, other, onStoreFailure, priority, mode, isActive);
    }
  }

  /** What happens with the decisions of a rule. */
  public enum Mode {
    /** They are enforced. */
    ENFORCE,
    /** They are counted, and nothing is refused. */
    SHADOW
  }
}
