package dev.weir.benchmarks.limits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The keys of a run of requests, few frequent and many rare: the probability of the key of rank k
 * is proportional to 1/k (Zipf).
 *
 * <p>Each request has its own String, as if read from the network; it is not the instance in a
 * peer's map.
 */
final class SkewedKeys {
  private static final int REQUESTS = 1 << 20;
  private static final int AT_ONCE = 256;
  private static final int FIRST_ASKED = 20;

  private final String[] requests;

  private SkewedKeys(String[] requests) {
    this.requests = requests;
  }

  static SkewedKeys of(int keys) {
    SplittableRandom random = new SplittableRandom(4711);
    String[] requests = new String[REQUESTS];
    for (int i = 0; i < REQUESTS; i++) {
      long rank = (long) Math.pow(keys + 1.0, random.nextDouble()) - 1;
      // Keys with neighbouring ranks do not have neighbouring names.
      requests[i] = "user:" + rank * 7_368_787 % keys;
    }
    return new SkewedKeys(requests);
  }

  String request(int number) {
    return requests[number & (REQUESTS - 1)];
  }

  /**
   * Requests every possible key, often enough that none becomes idle before the measurement ends.
   */
  static void fill(Subject subject, int keys) {
    for (int i = 0; i < keys; i++) {
      String key = "user:" + i;
      for (int times = 0; times < FIRST_ASKED; times++) {
        subject.ask(key);
      }
    }
  }

  /**
   * Returns the requests per second that a subject handles on the given number of platform threads.
   */
  double perSecond(Subject subject, int threads, Duration time) throws Exception {
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      CountDownLatch start = new CountDownLatch(1);
      List<Future<Double>> rates = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int from = requests.length / threads * thread;
        rates.add(
            executor.submit(
                () -> {
                  start.await();
                  return askFrom(from, subject, time);
                }));
      }
      start.countDown();
      double sum = 0;
      for (Future<Double> rate : rates) {
        sum += rate.get();
      }
      return sum;
    }
  }

  private double askFrom(int from, Subject subject, Duration time) {
    int at = from;
    long asked = 0;
    long granted = 0;
    long startNanos = System.nanoTime();
    long endNanos = startNanos + time.toNanos();
    long nowNanos;
    do {
      for (int i = 0; i < AT_ONCE; i++) {
        granted += subject.ask(requests[at]) ? 1 : 0;
        at = (at + 1) & (REQUESTS - 1);
      }
      asked += AT_ONCE;
      nowNanos = System.nanoTime();
    } while (nowNanos < endNanos);
    if (granted != asked) {
      throw new IllegalStateException("%d of %d were refused".formatted(asked - granted, asked));
    }
    return asked * 1e9 / (nowNanos - startNanos);
  }
}
