package dev.weir.store.surrealdb;

import dev.weir.limits.LimitRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Steps of several callers that share a transaction. Equal requests for one limit become one step,
 * so that many callers of one key cost little more than one. All of them wait at the same time, so
 * any order among them is right.
 */
final class LimitBatch {
  private final List<LimitStep> steps = new ArrayList<>();

  /** The callers of each step, by their index. */
  private final List<List<Integer>> callers = new ArrayList<>();

  private final int size;

  LimitBatch(List<LimitStep> requests) {
    this.size = requests.size();
    Map<LimitRequest, Integer> plain = new LinkedHashMap<>();
    for (int i = 0; i < size; i++) {
      LimitStep request = requests.get(i);
      int index =
          request instanceof LimitStep.Decide decide && decide.isPlain()
              ? plain.computeIfAbsent(decide.request().parts().getFirst(), part -> add(decide))
              : add(request);
      callers.get(index).add(i);
    }
    for (int index : plain.values()) {
      steps.set(index, new LimitStep.Decide(steps.get(index).request(), callers.get(index).size()));
    }
  }

  private int add(LimitStep step) {
    callers.add(new ArrayList<>());
    steps.add(step);
    return steps.size() - 1;
  }

  List<LimitStep> steps() {
    return steps;
  }

  /** Returns the steps of a batch in which all are plain. */
  PlainGroups plainGroups() {
    return new PlainGroups(steps.stream().map(LimitStep.Decide.class::cast).toList());
  }

  /**
   * Returns the result for each caller, in order.
   *
   * @param done the results of each step
   */
  List<LimitCall.Done> results(List<List<LimitCall.Done>> done) {
    LimitCall.Done[] results = new LimitCall.Done[size];
    for (int i = 0; i < done.size(); i++) {
      for (int k = 0; k < callers.get(i).size(); k++) {
        results[callers.get(i).get(k)] = done.get(i).get(k);
      }
    }
    return List.of(results);
  }
}
