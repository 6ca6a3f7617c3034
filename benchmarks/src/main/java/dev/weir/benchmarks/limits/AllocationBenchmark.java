package dev.weir.benchmarks.limits;

import dev.weir.limits.Decision;
import dev.weir.limits.Policy;
import dev.weir.limits.memory.MemoryLimitStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Measures the allocation of a decision in memory with JMH, in a separate process. */
@State(Scope.Thread)
public class AllocationBenchmark {
  private static final String NORM = "gc.alloc.rate.norm";
  private static final String BUCKET = "token bucket";
  private static final String WINDOW = "fixed window";

  @Param({BUCKET, WINDOW})
  private String kind = BUCKET;

  private final MemoryLimitStore store = new MemoryLimitStore();
  private final SkewedKeys keys = SkewedKeys.of(1_000);
  private Policy policy = Policy.of("api", Subject.bucket());
  private int asked;

  /**
   * A measurement.
   *
   * @param method the name of the benchmark
   */
  record Measured(String method, String kind, double bytes) {}

  static List<Measured> measure(Effort effort) throws RunnerException {
    Options options =
        new OptionsBuilder()
            .include(AllocationBenchmark.class.getName())
            .forks(1)
            .warmupIterations(2)
            .warmupTime(TimeValue.milliseconds(effort.warmUp().toMillis()))
            .measurementIterations(effort.rounds())
            .measurementTime(TimeValue.milliseconds(effort.warmUp().toMillis()))
            .addProfiler(GCProfiler.class)
            .verbosity(VerboseMode.SILENT)
            .build();
    List<Measured> measured = new ArrayList<>();
    for (RunResult result : new Runner(options).run()) {
      String name = result.getParams().getBenchmark();
      measured.add(
          new Measured(
              name.substring(name.lastIndexOf('.') + 1),
              result.getParams().getParam("kind"),
              Objects.requireNonNull(result.getSecondaryResults().get(NORM), NORM).getScore()));
    }
    return measured;
  }

  @Setup
  public void prepare() {
    policy = Policy.of("api", kind.equals(WINDOW) ? Subject.window() : Subject.bucket());
  }

  @Benchmark
  public boolean yesOrNo() {
    return store.take(policy, keys.request(asked++), 1);
  }

  @Benchmark
  public Decision inFull() {
    return store.decide(policy, keys.request(asked++), 1);
  }
}
