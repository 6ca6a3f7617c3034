package dev.weir.payments.workflows;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The state of all parts of {@link RecordedCallsModel}.
 *
 * @param made how often the payment API has made the payment
 * @param key the time for which it has known the key; negative if it does not
 * @param lastCall the number of the last call that was begun, in any history of the database
 */
record RecordedCallsState(
    Tables tables,
    Optional<Tables> backup,
    List<Node> nodes,
    List<Flight> flights,
    int made,
    int key,
    int lastCall,
    int backups,
    int restores) {
  RecordedCallsState tables(Tables next) {
    return new RecordedCallsState(
        next, backup, nodes, flights, made, key, lastCall, backups, restores);
  }

  RecordedCallsState node(int index, Node next) {
    List<Node> all = new ArrayList<>(nodes);
    all.set(index, next);
    return new RecordedCallsState(
        tables, backup, List.copyOf(all), flights, made, key, lastCall, backups, restores);
  }

  RecordedCallsState flights(List<Flight> next) {
    return new RecordedCallsState(
        tables, backup, nodes, next, made, key, lastCall, backups, restores);
  }

  RecordedCallsState flight(Flight next) {
    return flights(
        flights.stream().map(flight -> flight.call() == next.call() ? next : flight).toList());
  }

  RecordedCallsState key(int nextMade, int nextKey) {
    return new RecordedCallsState(
        tables, backup, nodes, flights, nextMade, nextKey, lastCall, backups, restores);
  }

  RecordedCallsState begun(int call) {
    return new RecordedCallsState(
        tables, backup, nodes, flights, made, key, call, backups, restores);
  }

  RecordedCallsState backup(Optional<Tables> next, int nextBackups, int nextRestores) {
    return new RecordedCallsState(
        tables, next, nodes, flights, made, key, lastCall, nextBackups, nextRestores);
  }

  /** How a payment has ended. */
  enum End {
    OPEN,
    PAID,
    FAILED,
    MAY_BE_MADE
  }

  /** How the payment API has answered a call. */
  enum Result {
    UNKNOWN,
    PAID,
    REJECTED
  }

  /** A row of {@code payment_call}. */
  record Recorded(int call, int age, int inProgress, Result result) {}

  /**
   * The rows of the payment.
   *
   * @param isHeld whether it was noticed that the database is restored: all payments are held, and
   *     each may have been made
   */
  record Tables(End end, int attempts, List<Recorded> calls, boolean isHeld) {
    boolean hasUnknown(int except) {
      return isHeld
          || calls.stream()
              .anyMatch(call -> call.result() == Result.UNKNOWN && call.call() != except);
    }

    boolean has(int call) {
      return call == 0 || calls.stream().anyMatch(known -> known.call() == call);
    }

    int firstAge() {
      return calls.stream().mapToInt(Recorded::age).max().orElse(-1);
    }

    boolean isInProgress() {
      return calls.stream().anyMatch(call -> call.inProgress() > 0);
    }

    Tables with(End nextEnd, int nextAttempts, List<Recorded> nextCalls) {
      return new Tables(nextEnd, nextAttempts, List.copyOf(nextCalls), isHeld);
    }

    Tables held() {
      return new Tables(end, attempts, calls, true);
    }

    /** Replaces an unknown result; adds a call whose beginning is not recorded. */
    Tables result(int call, Result result, End nextEnd) {
      List<Recorded> next = new ArrayList<>();
      for (Recorded known : calls) {
        boolean isReplaced = known.call() == call && known.result() == Result.UNKNOWN;
        next.add(isReplaced ? new Recorded(call, known.age(), 0, result) : known);
      }
      int added = has(call) ? 0 : 1;
      if (added > 0) {
        next.add(new Recorded(call, 0, 0, result));
      }
      return with(end == End.OPEN ? nextEnd : end, attempts + added, next);
    }

    Tables later() {
      return with(
          end,
          attempts,
          calls.stream()
              .map(
                  call ->
                      new Recorded(
                          call.call(),
                          Math.min(call.age() + 1, RecordedCallsModel.LONG_AGO),
                          Math.max(call.inProgress() - 1, 0),
                          call.result()))
              .toList());
    }
  }

  /** What a node is doing. */
  sealed interface Work {
    record Idle() implements Work {}

    record Looked(int attempts) implements Work {}

    record Begun(int call, int left) implements Work {}

    record Waiting(int call, int left) implements Work {}

    record Answered(int call, Result result) implements Work {}
  }

  /**
   * A node.
   *
   * @param last the last call that it has recorded with a known result; 0 if none
   */
  record Node(Work work, int last) {
    Node doing(Work next) {
      return new Node(next, last);
    }
  }

  /**
   * A call that was sent.
   *
   * @param travel how long it may still arrive
   * @param result how the payment API has answered; unknown before it has arrived
   * @param hasCaller whether the node that sent it still runs
   */
  record Flight(int call, int node, int travel, Result result, boolean hasCaller) {}
}
