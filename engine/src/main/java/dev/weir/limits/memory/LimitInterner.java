package dev.weir.limits.memory;

import dev.weir.StoreException;
import dev.weir.limits.FixedWindow;
import dev.weir.limits.Limit;
import dev.weir.limits.Policy;
import dev.weir.limits.SlidingWindow;
import dev.weir.limits.TokenBucket;
import dev.weir.limits.Usage;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The policies under which the entries of a segment were written, each with a number that becomes
 * free when no entry uses it. Policies are equal here if they have the same name and usages decay
 * in the same way: the rate of a bucket, the length of a window.
 */
final class LimitInterner {
  private final int max;
  private @Nullable Policy[] policies = new @Nullable Policy[1];
  private int[] uses = new int[1];

  // The parts of the policy at index 0. Few segments have more than one at a time, and an in-memory
  // decision is so short that avoiding two array accesses is measurable.
  private @Nullable Limit limitOfZero;
  private @Nullable String nameOfZero;

  LimitInterner(int max) {
    this.max = max;
  }

  Limit get(int number) {
    return policy(number).limit();
  }

  private Policy policy(int number) {
    return Objects.requireNonNull(policies[number]);
  }

  /** Returns the version of the policy with a number. */
  int version(int number) {
    return policy(number).version();
  }

  /** Notes a later version of a policy that counts as the former one. */
  void raise(Policy policy) {
    for (int number = 0; number < policies.length; number++) {
      Policy known = policies[number];
      if (known != null && isSame(known, policy) && known.version() < policy.version()) {
        set(number, policy);
      }
    }
  }

  private void set(int number, Policy policy) {
    policies[number] = policy;
    if (number == 0) {
      limitOfZero = policy.limit();
      nameOfZero = policy.name();
    }
  }

  /** Returns a usage that was written under a number. */
  Usage usage(int number, long atMicros, long used, long before) {
    return usage(get(number), atMicros, used, before);
  }

  /** Returns a usage that was written under a limit. */
  static Usage usage(Limit limit, long atMicros, long used, long before) {
    return switch (limit) {
      case FixedWindow window -> window.used(atMicros, used);
      case SlidingWindow window -> new Usage(atMicros, used, before, window.windowMicros());
      case TokenBucket bucket ->
          new Usage(atMicros, used, used == 0 ? 0 : bucket.refillTokens(), bucket.refillMicros());
    };
  }

  @SuppressWarnings("ReferenceEquality") // usually the same instances, which is faster to check
  boolean isSame(int number, Policy policy) {
    if (number == 0) {
      return (limitOfZero == policy.limit() && nameOfZero == policy.name())
          || isSame(policy(0), policy);
    }
    return policies[number] == policy || isSame(policy(number), policy);
  }

  /** Returns true if entries were written under a policy, whatever its numbers were then. */
  boolean knows(Policy policy) {
    for (Policy known : policies) {
      if (known != null && isNamed(known, policy)) {
        return true;
      }
    }
    return false;
  }

  boolean isNamed(int number, Policy policy) {
    return isNamed(policy(number), policy);
  }

  private static boolean isNamed(Policy known, Policy policy) {
    return known.name().equals(policy.name()) && known.limit().kind() == policy.limit().kind();
  }

  /** Returns the number of a policy that one more entry uses. */
  int add(Policy policy) {
    int free = -1;
    for (int number = 0; number < policies.length; number++) {
      Policy known = policies[number];
      if (known == null) {
        free = number;
      } else if (isSame(known, policy)) {
        uses[number]++;
        if (known.version() < policy.version()) {
          set(number, policy);
        }
        return number;
      }
    }
    if (free < 0) {
      free = grow();
    }
    set(free, policy);
    uses[free] = 1;
    return free;
  }

  void remove(int number) {
    if (--uses[number] == 0) {
      policies[number] = null;
      if (number == 0) {
        limitOfZero = null;
        nameOfZero = null;
      }
    }
  }

  /** Returns the number of a policy for an entry that used another one. */
  int exchange(int former, Policy policy) {
    int number = add(policy);
    remove(former);
    return number;
  }

  private int grow() {
    int former = policies.length;
    if (former == max) {
      throw StoreException.full("full: too many different limits in use");
    }
    policies = Arrays.copyOf(policies, former * 2);
    uses = Arrays.copyOf(uses, former * 2);
    return former;
  }

  /** Returns true if the usage written under a number equals that of a new key. */
  boolean isIdle(int number, long atMicros, long used, long before, long nowMicros) {
    // A separate branch for each kind, see EntryTransitions.
    Limit limit = get(number);
    if (limit instanceof TokenBucket bucket) {
      return bucket.settle(usage(bucket, atMicros, used, 0), nowMicros).isNone();
    }
    if (limit instanceof FixedWindow window) {
      return window.settle(usage(window, atMicros, used, 0), nowMicros).isNone();
    }
    return limit.settle(usage(limit, atMicros, used, before), nowMicros).isNone();
  }

  private static boolean isSame(Policy one, Policy other) {
    return one.limit().decaysLike(other.limit()) && one.name().equals(other.name());
  }
}
