package dev.weir.store.tck.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Visits every state that a model can reach, the nearest first, and checks each of them. So a
 * violation comes with a shortest way to it.
 */
public final class Explorer {
  private Explorer() {}

  /**
   * A protocol as a set of states and steps. What may happen in any order, or not at all, is a step
   * of its own: a crash, a lost reply, the time that passes.
   *
   * @param <S> an immutable value
   */
  public interface Model<S> {
    S initial();

    /** Returns everything that can happen next. */
    List<Step<S>> steps(S state);

    /** Returns what is wrong with a state; empty if it keeps all promises. */
    Optional<String> violation(S state);
  }

  /** Something that happens, and the state after it. */
  public record Step<S>(String action, S next) {}

  /**
   * A shortest way to a state that breaks a promise.
   *
   * @param actions what happened, in order
   */
  public record Witness<S>(String violation, List<String> actions, S state) {
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder(violation);
      for (int i = 0; i < actions.size(); i++) {
        text.append("\n  ").append(i + 1).append(". ").append(actions.get(i));
      }
      return text.toString();
    }
  }

  /**
   * The result of an exploration.
   *
   * @param states the number of different states that were visited
   * @param depth the number of steps to the farthest of them
   */
  public record Result<S>(int states, int depth, Optional<Witness<S>> witness) {}

  /** A visited state, and how it was reached. */
  private record Visit<S>(S state, String action, int depth, @Nullable Visit<S> before) {}

  /**
   * Visits all states, or those up to the first violation.
   *
   * @throws IllegalStateException if there are more than {@code maxStates}: what was not visited is
   *     not proven
   */
  public static <S> Result<S> explore(Model<S> model, int maxStates) {
    Set<S> seen = new HashSet<>();
    Queue<Visit<S>> open = new ArrayDeque<>();
    Visit<S> last = new Visit<>(model.initial(), "", 0, null);
    seen.add(last.state());
    open.add(last);
    while (!open.isEmpty()) {
      last = open.remove();
      Optional<String> violation = model.violation(last.state());
      if (violation.isPresent()) {
        return new Result<>(seen.size(), last.depth(), Optional.of(witness(violation.get(), last)));
      }
      for (Step<S> step : model.steps(last.state())) {
        if (seen.add(step.next())) {
          if (seen.size() > maxStates) {
            throw new IllegalStateException(
                "more than %d states, the last one after %d steps: %s"
                    .formatted(maxStates, last.depth() + 1, step));
          }
          open.add(new Visit<>(step.next(), step.action(), last.depth() + 1, last));
        }
      }
    }
    return new Result<>(seen.size(), last.depth(), Optional.empty());
  }

  private static <S> Witness<S> witness(String violation, Visit<S> end) {
    List<String> actions = new ArrayList<>();
    for (Visit<S> visit = end; visit.before() != null; visit = visit.before()) {
      actions.add(visit.action());
    }
    Collections.reverse(actions);
    return new Witness<>(violation, List.copyOf(actions), end.state());
  }
}
