package dev.weir.benchmarks.notifications;

import dev.weir.benchmarks.Load;
import dev.weir.benchmarks.LoadRun;
import dev.weir.benchmarks.Rounds;
import dev.weir.benchmarks.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Callers that each send messages of one user or of many, one message after the other. */
enum SendCase {
  HOT_USER("hot user", "one hot user", 1, 1, SendCase.PLENTY, 10),
  MANY_USERS("many users", "10,000 users", 10_000, 10_000, SendCase.PLENTY, 3),
  REFUSALS("refusals", "one user over the limit", 2, 1, 1, 20);

  private static final int CALLERS = 64;
  private static final long PLENTY = 1_000_000_000;
  private static final String TEXT = "Your order has left our house and will arrive tomorrow.";

  private final String caseName;
  private final String title;
  private final long firstUser;
  private final int users;
  private final long rateLimit;
  private final double minRatio;

  SendCase(
      String caseName, String title, long firstUser, int users, long rateLimit, double minRatio) {
    this.caseName = caseName;
    this.title = title;
    this.firstUser = firstUser;
    this.users = users;
    this.rateLimit = rateLimit;
    this.minRatio = minRatio;
  }

  /** Work between measurements, such as a checkpoint. */
  interface Pause {
    void run() throws Exception;
  }

  /** Returns the name that {@code --only} selects. */
  String caseName() {
    return caseName;
  }

  String title() {
    return title;
  }

  /**
   * Measures all paths in turns.
   *
   * @param lingering the comparator with a producer that waits for more messages
   * @param before runs before each measurement
   */
  List<Row> run(SendPath weir, SendPath rowLock, SendPath lingering, Pause before, Effort effort)
      throws Exception {
    // Both comparators share a table.
    prepare(weir);
    prepare(rowLock);
    LoadRun rehearsal = effort.rehearsal(CALLERS);
    for (SendPath path : List.of(weir, rowLock)) {
      measure(path, rehearsal, before);
    }
    LoadRun load = effort.load(CALLERS);
    List<Load> lingered = new ArrayList<>();
    Rounds<Load> rounds =
        Rounds.interleaved(
            effort.rounds(),
            () -> measure(weir, load, before),
            () -> {
              if (!isRefused()) {
                lingered.add(measure(lingering, load, before));
              }
              return measure(rowLock, load, before);
            });
    Load subject = Load.median(rounds.subject());
    List<Row> rows =
        new ArrayList<>(
            rows(subject, "row lock", Load.median(rounds.peer()), new Row.AtLeast(minRatio)));
    // A refused message is not published.
    if (!isRefused()) {
      String name = "row lock, linger " + NotificationsSuite.LINGER_MILLIS + " ms";
      rows.addAll(rows(subject, name, Load.median(lingered), new Row.Untargeted()));
    }
    return rows;
  }

  private boolean isRefused() {
    return rateLimit < PLENTY;
  }

  private void prepare(SendPath path) throws Exception {
    path.limit(firstUser, users, rateLimit);
    if (isRefused()) {
      for (long i = 0; i < rateLimit; i++) {
        require(path.send(firstUser, TEXT), true);
      }
    }
  }

  private Load measure(SendPath path, LoadRun load, Pause before) throws Exception {
    before.run();
    return load.of(
        (caller, turn) -> {
          long user = firstUser + ThreadLocalRandom.current().nextInt(users);
          require(path.send(user, TEXT), !isRefused());
        });
  }

  private static void require(boolean isSent, boolean expected) {
    if (isSent != expected) {
      throw new IllegalStateException(
          isSent ? "a message over the limit was sent" : "a message within the limit was refused");
    }
  }

  private List<Row> rows(Load subject, String peerName, Load peer, Row.Target throughput) {
    String unit = isRefused() ? "refusals/s" : "messages/s";
    return List.of(
        row("throughput", unit, subject.perSecond(), peerName, peer.perSecond(), throughput),
        row("p50", "ms", subject.p50Millis(), peerName, peer.p50Millis(), new Row.Untargeted()),
        row("p99", "ms", subject.p99Millis(), peerName, peer.p99Millis(), new Row.Untargeted()));
  }

  private Row row(
      String what, String unit, double value, String peer, double peerValue, Row.Target target) {
    return new Row(
        "notifications",
        "%s, %d callers, %s".formatted(title, CALLERS, what),
        "weir",
        value,
        unit,
        new Row.Against(peer, peerValue, target));
  }
}
