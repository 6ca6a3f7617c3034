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
 * <p>Callers block; they are meant to be virtual threads. Thread-safe.
 */
public final class Batcher<D, R> {
  private final Function<List<D>, List<R>> work;
  private final int largestBatch;
  private final int mostWaiting;
  private final Queue<Ticket<D, R>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicBoolean busy = new AtomicBoolean();

  /**
   * @param work answers each of a list of demands, in order
   * @param largestBatch a batch is not filled beyond this
   * @param mostWaiting callers beyond so many demands are turned away
   */
  public Batcher(Function<List<D>, List<R>> work, int largestBatch, int mostWaiting) {
    this.work = work;
    this.largestBatch = largestBatch;
    this.mostWaiting = mostWaiting;
  }

  /** Waits until the demands have been worked on, together with those of other callers. */
  public List<R> submit(List<D> demands) {
    Ticket<D, R> ticket = new Ticket<>(demands, Thread.currentThread());
    if (waiting.addAndGet(demands.size()) > mostWaiting) {
      waiting.addAndGet(-demands.size());
      throw new StoreException("overloaded: more than " + mostWaiting + " demands are waiting");
    }
    queue.add(ticket);
    boolean interrupted = false;
    while (!ticket.done) {
      if (busy.compareAndSet(false, true)) {
        try {
          if (!ticket.done) {
            // An interrupt that came before would break off what others wait for as well.
            interrupted |= Thread.interrupted();
            workOnNextBatch();
          }
        } finally {
          busy.set(false);
          wakeNext();
        }
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

  /**
   * Whoever enqueued while we were busy either sees that we are not any more, or is seen here: its
   * ticket was in the queue before it found us busy.
   */
  private void wakeNext() {
    Ticket<D, R> next = queue.peek();
    if (next != null) {
      LockSupport.unpark(next.caller);
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // Nothing depends on the yield, it only fills batches.
  private void workOnNextBatch() {
    // Those who were answered a moment ago and ask again at once get the chance to join.
    Thread.yield();
    List<Ticket<D, R>> tickets = new ArrayList<>();
    List<D> demands = new ArrayList<>();
    Ticket<D, R> next = queue.peek();
    while (next != null
        && (demands.isEmpty() || demands.size() + next.demands.size() <= largestBatch)) {
      queue.remove();
      tickets.add(next);
      demands.addAll(next.demands);
      next = queue.peek();
    }
    waiting.addAndGet(-demands.size());
    List<R> results = List.of();
    @Nullable RuntimeException failure = null;
    try {
      results = work.apply(demands);
    } catch (RuntimeException e) {
      failure = e;
    } finally {
      answer(tickets, results, failure);
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
        ticket.failure = failure == null ? new StoreException("the batch broke off") : failure;
      }
      ticket.done = true;
      LockSupport.unpark(ticket.caller);
      from = until;
    }
  }

  private static final class Ticket<D, R> {
    final List<D> demands;
    final Thread caller;
    List<R> results = List.of();
    @Nullable RuntimeException failure;

    /** Written last: publishes the two above. */
    volatile boolean done;

    Ticket(List<D> demands, Thread caller) {
      this.demands = demands;
      this.caller = caller;
    }

    List<R> results() {
      if (failure != null) {
        // A stack trace of the caller, with the shared failure as its cause.
        throw new StoreException(String.valueOf(failure.getMessage()), failure);
      }
      return results;
    }
  }
}
