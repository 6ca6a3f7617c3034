package dev.weir.core.limits;

import java.util.ArrayList;
import java.util.List;

/**
 * Several limits in one step: either all of them grant, or nothing is taken from any.
 *
 * <p>Each has a usage of its own; asking one usage twice in a demand is for the caller to add up.
 */
public final class AllOrNothing {
  private AllOrNothing() {}

  /** A part of a demand: so much of a limit of which this is used. */
  public record Part(Limit limit, Usage usage, long cost) {}

  /**
   * What was decided, in the order of the parts, and what is used after it.
   *
   * <p>If it is refused, the limits that would have granted are told as {@link Decision.Allowed}
   * with what remains of them, untouched.
   */
  public record Step(List<Usage> next, List<Decision> decisions, boolean isGranted) {}

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
        next.add(part.usage());
        decisions.add(part.limit().peek(part.usage(), part.cost(), nowMicros));
      }
    }
    return new Step(List.copyOf(next), List.copyOf(decisions), granted);
  }
}
