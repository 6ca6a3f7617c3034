package dev.weir.benchmarks.limits;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.ThreadMXBean;
import dev.weir.benchmarks.Row;
import dev.weir.benchmarks.Suite;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The cost of decisions in memory besides time: bytes per key, bytes per decision, pauses. */
record FootprintCase() implements LimitsCase {
  private static final int KEYS = 1_000_000;
  private static final double MAX_BYTES = 64;
  private static final double MAX_PAUSE_MILLIS = 5;
  private static final double SMALL_VALUE_BYTES = 32;
  private static final int FILLS = 5;
  private static final int QUICK_FILLS = 2;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Override
  public String name() {
    return "footprint";
  }

  @Override
  public Suite.Outcome run(Effort effort, Suite.Request request) throws Exception {
    request.progress().accept("limits: bytes a key");
    List<Row> rows = new ArrayList<>();
    rows.add(bytes("token bucket", "weir", () -> Subject.weir(Subject.bucket()), true));
    rows.add(bytes("fixed window", "weir", () -> Subject.weir(Subject.window()), true));
    if (!effort.isQuick()) {
      rows.add(bytes("token bucket", "bucket4j", Subject::bucket4jBucket, false));
      rows.add(bytes("token bucket", "resilience4j", Subject::resilience4j, false));
      rows.add(bytes("token bucket", "guava", Subject::guava, false));
    }
    request.progress().accept("limits: bytes a decision");
    rows.addAll(allocated(effort));
    request.progress().accept("limits: pauses");
    rows.add(
        against(
            "longest call while growing to 1M keys, processor time",
            longestCallMillis(effort.isQuick() ? QUICK_FILLS : FILLS),
            "ms",
            "bound",
            MAX_PAUSE_MILLIS));
    if (!effort.isQuick()) {
      request.progress().accept("limits: ten million keys in a heap of 1 GB");
      rows.add(tenMillion());
    }
    return new Suite.Outcome(Map.of(), rows);
  }

  private static Row bytes(
      String kind, String subject, Supplier<Subject> fresh, boolean hasTarget) {
    long before = usedBytes();
    Subject made = fresh.get();
    SkewedKeys.fill(made, KEYS);
    double perKey = (double) (usedBytes() - before) / KEYS;
    if (!made.ask("user:0")) {
      throw new IllegalStateException("refused");
    }
    String scenario = "bytes a key, " + kind + ", 1M keys";
    return hasTarget
        ? new Row(
            "limits",
            scenario,
            subject,
            perKey,
            "B",
            new Row.Against("bound", MAX_BYTES, new Row.AtMost(1)))
        : Row.alone("limits", scenario, subject, perKey, "B");
  }

  private static long usedBytes() {
    Runtime runtime = Runtime.getRuntime();
    long min = Long.MAX_VALUE;
    // Collects several times, because one collection need not find everything.
    for (int i = 0; i < 3; i++) {
      System.gc();
      min = Math.min(min, runtime.totalMemory() - runtime.freeMemory());
    }
    return min;
  }

  /** Returns the bytes that a decision allocates, measured by JMH. */
  private static List<Row> allocated(Effort effort) throws Exception {
    List<Row> rows = new ArrayList<>();
    for (AllocationBenchmark.Measured measured : AllocationBenchmark.measure(effort)) {
      boolean isFull = measured.method().equals("inFull");
      rows.add(
          against(
              "bytes a decision, %s, %s"
                  .formatted(isFull ? "in full" : "yes or no", measured.kind()),
              measured.bytes(),
              "B",
              isFull ? "one small value" : "a byte",
              isFull ? SMALL_VALUE_BYTES : 1));
    }
    return rows;
  }

  /**
   * Returns the max processor time of a call during a fill, the lowest of several fills: the work
   * of the table occurs in each fill, and the effects of other processes, the compiler and the
   * collector are excluded.
   */
  private static double longestCallMillis(int fills) {
    long min = Long.MAX_VALUE;
    for (int fill = 0; fill < fills; fill++) {
      Subject subject = Subject.weir(Subject.bucket());
      long longest = 0;
      for (int i = 0; i < KEYS; i++) {
        String key = "user:" + i;
        long start = THREADS.getCurrentThreadCpuTime();
        subject.ask(key);
        longest = Math.max(longest, THREADS.getCurrentThreadCpuTime() - start);
      }
      min = Math.min(min, longest);
    }
    return min / 1e6;
  }

  private static Row tenMillion() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-cp",
                System.getProperty("java.class.path"),
                TenMillionKeys.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException("ten million keys did not fit: " + out);
    }
    return new Row(
        "limits",
        "keys in a heap of 1 GB",
        "weir",
        Double.parseDouble(out.strip()),
        "keys",
        new Row.Against("bound", TenMillionKeys.KEYS, new Row.AtLeast(1)));
  }

  private static Row against(String scenario, double value, String unit, String peer, double max) {
    return new Row(
        "limits", scenario, "weir", value, unit, new Row.Against(peer, max, new Row.AtMost(1)));
  }
}
