package dev.weir.limits.internal;

import dev.weir.limits.Decision;
import dev.weir.limits.Limit;
import dev.weir.limits.Usage;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides several limits in one step: either all of them grant, or nothing is taken from any.
 *
 * <p>Each part has its own usage. If two parts share a usage, the caller has to add up their costs
 * and pass a single part.
 */
public final class AllOrNothing {
  private AllOrNothing() {}

  /** One part of a request: {@code cost} units of {@code limit}, given its current usage. */
  public record Part(Limit limit, Usage usage, long cost) {}

  /**
   * The decisions and the usages after them, in the order of the parts.
   *
   * <p>If the request is refused, the parts that would have been granted are {@link
   * Decision.Allowed} with their unchanged remaining units. Their usages are unchanged unless their
   * limit was changed, see {@link Limit#isCurrent}.
   */
  public record Step(List<Usage> next, List<Decision> decisions, boolean isGranted) {}

  /** Takes the cost of every part if all of them are available at {@code nowMicros}. */
  public static Step decide(List<Part> parts, long nowMicros) {
    boolean granted = true;
    for (Part part : parts) {
      granted &= part.limit().peek(part.usage(), part.cost(), nowMicros).isAllowed();
    }
    List<Usage> next = new ArrayList<>(parts.size());
    List<Decision> decisions = new ArrayList<>(parts.size());
    for (Part part : parts) {
      if (granted) {
        Limit.Step step = part.limit().decide(part.usage(), part.cost(), nowMicros);
        next.add(step.next());
        decisions.add(step.decision());
      } else {
        next.add(kept(part, nowMicros));
        decisions.add(part.limit().peek(part.usage(), part.cost(), nowMicros));
      }
    }
    return new Step(List.copyOf(next), List.copyOf(decisions), granted);
  }

  /** Returns the usage of a part of which nothing is taken. */
  private static Usage kept(Part part, long nowMicros) {
    return part.limit().isCurrent(part.usage(), nowMicros)
        ? part.usage()
        : part.limit().settle(part.usage(), nowMicros);
  }
}
