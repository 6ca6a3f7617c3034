package dev.weir.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Natural batching: while one batch is being worked on, the next callers gather, and the next batch
 * takes them all. No timer and no thread of its own: one of the callers does the work for the
 * others, and a caller that finds nobody at work starts at once.
 *
 * <p>Where several batches may be under way at once, so that the one who works on them need not
 * wait while the callers of another are answered, those who wait are divided among them: a batch
 * beside another starts with at least half as many.
 *
 * <p>Callers block; they are meant to be virtual threads. Thread-safe.
 */
public final class Batcher<D, R> {
  /** Fewer that wait are not divided: each batch has a price of its own. */
  private static final int FEWEST_TO_DIVIDE = 8;

  private final Function<List<D>, List<R>> work;
  private final int largestBatch;
  private final int mostWaiting;
  private final int mostBatches;
  private final Queue<Ticket<D, R>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();

  /** Whoever takes tickets out of the queue has set this. */
  private final AtomicBoolean gathering = new AtomicBoolean();

  private final AtomicInteger batches = new AtomicInteger();
  private final AtomicInteger underWay = new AtomicInteger();

  /**
   * One batch at a time.
   *
   * @param work answers each of a list of demands, in order
   * @param largestBatch a batch is not filled beyond this
   * @param mostWaiting callers beyond so many demands are turned away
   */
  public Batcher(Function<List<D>, List<R>> work, int largestBatch, int mostWaiting) {
    this(work, largestBatch, mostWaiting, 1);
  }

  /**
   * Several batches at a time.
   *
   * @param mostBatches so many batches are under way at once, at most
   */
  public Batcher(
      Function<List<D>, List<R>> work, int largestBatch, int mostWaiting, int mostBatches) {
    this.work = work;
    this.largestBatch = largestBatch;
    this.mostWaiting = mostWaiting;
    this.mostBatches = mostBatches;
  }

  /** Waits until the demands have been worked on, together with those of other callers. */
  public List<R> submit(List<D> demands) {
    Ticket<D, R> ticket = new Ticket<>(demands, Thread.currentThread());
    if (waiting.addAndGet(demands.size()) > mostWaiting) {
      waiting.addAndGet(-demands.size());
      throw new StoreException(
          StoreException.Outcome.NONE,
          "overloaded: more than " + mostWaiting + " demands are waiting");
    }
    queue.add(ticket);
    boolean interrupted = false;
    while (!ticket.isDone) {
      if (!ticket.isTaken && mayStart() && gathering.compareAndSet(false, true)) {
        // An interrupt that came before would break off what others wait for as well.
        interrupted |= Thread.interrupted();
        workOn(batchWith(ticket));
      } else {
        LockSupport.park(this);
        // The work is under way and will be answered: an interrupt must not tear it apart.
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return ticket.results();
  }

  private boolean mayStart() {
    int beside = batches.get();
    return beside == 0 || (beside < mostBatches && waiting.get() >= underWay.get() / 2);
  }

  /**
   * Whoever enqueued while it could not start either sees that it can by now, or is seen here: its
   * ticket was in the queue before it looked. So this is called whenever there is less to wait for.
   */
  private void wakeNext() {
    if (mayStart()) {
      for (Ticket<D, R> next : queue) {
        if (!next.isTaken) {
          LockSupport.unpark(next.caller);
          return;
        }
      }
    }
  }

  /** Takes a caller's ticket and those that were first in the queue; none if it may not start. */
  @SuppressWarnings("ThreadPriorityCheck") // Nothing depends on the yield, it only fills batches.
  private List<Ticket<D, R>> batchWith(Ticket<D, R> own) {
    try {
      if (own.isTaken || !mayStart()) {
        return List.of();
      }
      // Those who were answered a moment ago and ask again at once get the chance to join.
      Thread.yield();
      int most = batchSize();
      // First, for whoever is at work cannot be woken to start another. It stays in the queue.
      List<Ticket<D, R>> batch = new ArrayList<>();
      int demands = take(own, batch);
      Ticket<D, R> next = queue.peek();
      while (next != null && (next.isTaken || demands + next.demands.size() <= most)) {
        queue.remove();
        demands += next.isTaken ? 0 : take(next, batch);
        next = queue.peek();
      }
      batches.incrementAndGet();
      underWay.addAndGet(demands);
      waiting.addAndGet(-demands);
      return batch;
    } finally {
      gathering.set(false);
      wakeNext();
    }
  }

  private static <D, R> int take(Ticket<D, R> ticket, List<Ticket<D, R>> batch) {
    ticket.isTaken = true;
    batch.add(ticket);
    return ticket.demands.size();
  }

  private int batchSize() {
    int all = waiting.get();
    boolean isDivided = mostBatches > 1 && batches.get() == 0 && all >= FEWEST_TO_DIVIDE;
    return isDivided ? Math.min(largestBatch, Math.ceilDiv(all, 2)) : largestBatch;
  }

  private void workOn(List<Ticket<D, R>> tickets) {
    if (tickets.isEmpty()) {
      return;
    }
    List<D> demands = new ArrayList<>();
    tickets.forEach(ticket -> demands.addAll(ticket.demands));
    List<R> results = List.of();
    @Nullable RuntimeException failure = null;
    try {
      results = work.apply(demands);
    } catch (RuntimeException e) {
      failure = e;
    } finally {
      underWay.addAndGet(-demands.size());
      batches.decrementAndGet();
      answer(tickets, results, failure);
      wakeNext();
    }
  }

  private static <D, R> void answer(
      List<Ticket<D, R>> tickets, List<R> results, @Nullable RuntimeException failure) {
    int from = 0;
    for (Ticket<D, R> ticket : tickets) {
      int until = from + ticket.demands.size();
      if (failure == null && until <= results.size()) {
        ticket.results = results.subList(from, until);
      } else {
        ticket.failure =
            failure == null
                ? new StoreException(StoreException.Outcome.UNKNOWN, "the batch broke off")
                : failure;
      }
      ticket.isDone = true;
      LockSupport.unpark(ticket.caller);
      from = until;
    }
  }

  private static final class Ticket<D, R> {
    final List<D> demands;
    final Thread caller;
    List<R> results = List.of();
    @Nullable RuntimeException failure;

    /** It is in a batch, so its caller starts none. */
    volatile boolean isTaken;

    /** Written last: publishes the two above. */
    volatile boolean isDone;

    Ticket(List<D> demands, Thread caller) {
      this.demands = demands;
      this.caller = caller;
    }

    List<R> results() {
      if (failure != null) {
        throw StoreException.shared(failure);
      }
      return results;
    }
  }
}
