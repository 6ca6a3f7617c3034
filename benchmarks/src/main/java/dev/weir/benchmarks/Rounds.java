package dev.weir.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Two measurements taken in turns, so that a slowdown of the machine affects both.
 *
 * <p>The order flips every round (AB, BA, AB, …): neither side always runs into the other's
 * checkpoints and garbage.
 *
 * @param subject the subject's measurements, round by round
 * @param peer the peer's measurements, round by round
 */
public record Rounds<T>(List<T> subject, List<T> peer) {
  public Rounds {
    subject = List.copyOf(subject);
    peer = List.copyOf(peer);
  }

  /** Measures both sides once in each round. */
  public static <T> Rounds<T> interleaved(int rounds, Callable<T> subject, Callable<T> peer)
      throws Exception {
    List<T> subjects = new ArrayList<>(rounds);
    List<T> peers = new ArrayList<>(rounds);
    for (int round = 0; round < rounds; round++) {
      if (round % 2 == 0) {
        subjects.add(subject.call());
        peers.add(peer.call());
      } else {
        peers.add(peer.call());
        subjects.add(subject.call());
      }
    }
    return new Rounds<>(subjects, peers);
  }

  /** Measures one side once in each round. */
  public static <T> List<T> repeated(int rounds, Callable<T> measurement) throws Exception {
    List<T> results = new ArrayList<>(rounds);
    for (int round = 0; round < rounds; round++) {
      results.add(measurement.call());
    }
    return results;
  }

  /** Returns the middle value, or the mean of the two in the middle. */
  public static double median(List<Double> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("values must not be empty");
    }
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
