package dev.weir.benchmarks.limits;

import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Yes-or-no decisions in memory, against libraries for a single process. */
record MemoryCase() implements LimitsCase {
  private static final double TARGET = 2.5;

  /** Lower, because few keys fit into the processor's caches with any layout. */
  private static final double TARGET_OF_FEW_KEYS = 2.0;

  /** A subject with its name and the target of the ratio to it. */
  private record Named(String name, Subject subject, Row.Target target) {}

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public Suite.Outcome run(Effort effort, Suite.Request request) throws Exception {
    List<Row> rows = new ArrayList<>();
    for (int keys : new int[] {1_000_000, 1_000}) {
      SkewedKeys skewed = SkewedKeys.of(keys);
      String many = keys == 1_000 ? "1k keys" : "1M keys";
      Row.Target target = new Row.AtLeast(keys == 1_000 ? TARGET_OF_FEW_KEYS : TARGET);
      rows.addAll(measure("token bucket, " + many, keys, skewed, buckets(target), effort, request));
      if (!effort.isQuick()) {
        rows.addAll(
            measure("fixed window, " + many, keys, skewed, windows(target), effort, request));
      }
    }
    return new Suite.Outcome(Map.of(), rows);
  }

  private static List<Named> buckets(Row.Target target) {
    return List.of(
        new Named("weir", Subject.weir(Subject.bucket()), new Row.Untargeted()),
        new Named("bucket4j", Subject.bucket4jBucket(), target),
        new Named("resilience4j", Subject.resilience4j(), target),
        new Named("guava", Subject.guava(), new Row.Untargeted()));
  }

  private static List<Named> windows(Row.Target target) {
    return List.of(
        new Named("weir", Subject.weir(Subject.window()), new Row.Untargeted()),
        new Named("bucket4j", Subject.bucket4jWindow(), target),
        new Named("resilience4j", Subject.resilience4j(), target));
  }

  private static List<Row> measure(
      String scenario,
      int keys,
      SkewedKeys skewed,
      List<Named> subjects,
      Effort effort,
      Suite.Request request)
      throws Exception {
    for (Named named : subjects) {
      SkewedKeys.fill(named.subject(), keys);
    }
    List<Row> rows = new ArrayList<>();
    for (int threads : new int[] {1, 2}) {
      String what = "%s, %d thread%s".formatted(scenario, threads, threads == 1 ? "" : "s");
      request.progress().accept("limits: " + what);
      List<List<Double>> rates = new ArrayList<>();
      for (Named named : subjects) {
        skewed.perSecond(named.subject(), threads, effort.warmUp());
        rates.add(new ArrayList<>());
      }
      for (int round = 0; round < effort.rounds(); round++) {
        for (int i = 0; i < subjects.size(); i++) {
          rates.get(i).add(skewed.perSecond(subjects.get(i).subject(), threads, effort.measured()));
        }
      }
      double own = Rounds.median(rates.getFirst());
      for (int i = 1; i < subjects.size(); i++) {
        Named peer = subjects.get(i);
        rows.add(
            new Row(
                "limits",
                what,
                "weir",
                own,
                "decisions/s",
                new Row.Against(peer.name(), Rounds.median(rates.get(i)), peer.target())));
      }
    }
    return rows;
  }
}
