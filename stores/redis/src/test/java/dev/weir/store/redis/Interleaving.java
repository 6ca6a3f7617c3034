package dev.weir.store.redis;

import dev.weir.limits.AcquireRequest;
import dev.weir.limits.AcquireResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;

/**
 * Requests across slots that are decided at the same time, in an order that a test chooses: each
 * call of a slot is one step, and those that a request sends together are done in any order.
 */
final class Interleaving {
  private final KeyNames names;
  private final Function<List<LimitCall>, List<CallResult>> store;

  Interleaving(KeyNames names, Function<List<LimitCall>, List<CallResult>> store) {
    this.names = names;
    this.store = store;
  }

  /**
   * Decides the requests.
   *
   * @param choice chooses the next of so many calls
   */
  List<AcquireResult> decide(List<AcquireRequest> requests, IntUnaryOperator choice)
      throws Exception {
    BlockingQueue<Caller> halted = new LinkedBlockingQueue<>();
    List<Caller> callers = new ArrayList<>();
    List<Future<AcquireResult>> results = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (AcquireRequest request : requests) {
        Caller caller = new Caller(halted);
        callers.add(caller);
        results.add(threads.submit(() -> caller.decide(new SlotBySlot(names, request, caller))));
      }
      for (int i = 0; i < callers.size(); i++) {
        halted.take();
      }
      for (List<Step> next = next(callers); !next.isEmpty(); next = next(callers)) {
        Step step = next.get(choice.applyAsInt(next.size()));
        if (step.caller().does(step.number(), store)) {
          halted.take();
        }
      }
    }
    List<AcquireResult> decided = new ArrayList<>();
    for (Future<AcquireResult> result : results) {
      decided.add(result.get());
    }
    return decided;
  }

  private record Step(Caller caller, int number) {}

  private static List<Step> next(List<Caller> callers) {
    List<Step> next = new ArrayList<>();
    for (Caller caller : callers) {
      caller.open().forEach(number -> next.add(new Step(caller, number)));
    }
    return next;
  }

  /** A request that halts before its calls, and goes on when all of them are done. */
  private static final class Caller implements Function<List<LimitCall>, List<CallResult>> {
    private final BlockingQueue<Caller> halted;
    private final BlockingQueue<List<CallResult>> answers = new SynchronousQueue<>();
    private List<LimitCall> calls = List.of();
    private CallResult[] results = {};

    Caller(BlockingQueue<Caller> halted) {
      this.halted = halted;
    }

    AcquireResult decide(SlotBySlot spread) {
      try {
        return spread.decide();
      } finally {
        calls = List.of();
        halted.add(this);
      }
    }

    @Override
    public List<CallResult> apply(List<LimitCall> sent) {
      calls = sent;
      results = new CallResult[sent.size()];
      halted.add(this);
      try {
        return answers.take();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    /** Returns the numbers of its calls that are not done. */
    List<Integer> open() {
      List<Integer> open = new ArrayList<>();
      for (int i = 0; i < calls.size(); i++) {
        if (results[i] == null) {
          open.add(i);
        }
      }
      return open;
    }

    /** Does one of its calls. Returns true if it was the last, so that the request goes on. */
    boolean does(int number, Function<List<LimitCall>, List<CallResult>> store)
        throws InterruptedException {
      results[number] = store.apply(List.of(calls.get(number))).getFirst();
      if (Arrays.stream(results).anyMatch(Objects::isNull)) {
        return false;
      }
      answers.put(List.of(results));
      return true;
    }
  }
}
