package dev.weir.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
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
 * <p>Demands are worked on in the order in which they were {@linkplain #enqueue enqueued}; only
 * batches that are under way at the same time have no order among themselves.
 *
 * <p>Where callers have a patience, those whose turn does not come within it are told that nothing
 * was done: a batch that hangs must not keep the callers of all following ones waiting in turn.
 *
 * <p>Callers block; they are meant to be virtual threads. Thread-safe.
 */
public final class Batcher<D, R> {
  /** Fewer that wait are not divided: each batch has a price of its own. */
  private static final int FEWEST_TO_DIVIDE = 8;

  /** Half of what nanoseconds can count, so that it can be added to any of them. */
  private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE / 2);

  private final Function<List<D>, List<R>> work;
  private final int largestBatch;
  private final int mostWaiting;
  private final int mostBatches;
  private final long patienceNanos;
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
    this(work, largestBatch, mostWaiting, mostBatches, FOREVER);
  }

  private Batcher(
      Function<List<D>, List<R>> work,
      int largestBatch,
      int mostWaiting,
      int mostBatches,
      Duration patience) {
    this.work = work;
    this.largestBatch = largestBatch;
    this.mostWaiting = mostWaiting;
    this.mostBatches = mostBatches;
    this.patienceNanos = TimeUnit.NANOSECONDS.convert(patience);
  }

  /**
   * The same, with no demand waiting longer than this for its turn. The work has to have a bound of
   * its own.
   */
  public Batcher<D, R> within(Duration patience) {
    return new Batcher<>(work, largestBatch, mostWaiting, mostBatches, patience);
  }

  /** Demands that have their turn; {@link #await} must be called, by any one thread. */
  public interface Pending<R> {
    /** Waits for the results, and works on a batch itself if no other caller does. */
    List<R> await();
  }

  /** Waits until the demands have been worked on, together with those of other callers. */
  public List<R> submit(List<D> demands) {
    return enqueue(demands).await();
  }

  /** Gives the demands their turn: after all that were enqueued before. Does not wait. */
  public Pending<R> enqueue(List<D> demands) {
    if (waiting.addAndGet(demands.size()) > mostWaiting) {
      waiting.addAndGet(-demands.size());
      throw new StoreException(
          StoreException.Outcome.NONE,
          "overloaded: more than " + mostWaiting + " demands are waiting");
    }
    Ticket<D, R> ticket = new Ticket<>(demands, System.nanoTime() + patienceNanos);
    queue.add(ticket);
    return () -> await(ticket);
  }

  private List<R> await(Ticket<D, R> ticket) {
    ticket.caller = Thread.currentThread();
    boolean interrupted = false;
    while (!ticket.isDone) {
      long leftNanos = ticket.deadlineNanos - System.nanoTime();
      if (leftNanos <= 0 && ticket.take()) {
        giveUp(ticket);
      } else if (!ticket.isTaken() && mayStart() && gathering.compareAndSet(false, true)) {
        // An interrupt that came before would break off what others wait for as well.
        interrupted |= Thread.interrupted();
        workOn(nextBatch(ticket));
        ticket.isCallerAtWork = false;
      } else {
        park(ticket, leftNanos);
        // The work is under way and will be answered: an interrupt must not tear it apart.
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return ticket.results();
  }

  /** A ticket that is taken will be answered, and the deadline is over only once. */
  private void park(Ticket<D, R> ticket, long leftNanos) {
    if (patienceNanos == FOREVER.toNanos() || ticket.isTaken()) {
      LockSupport.park(this);
    } else {
      LockSupport.parkNanos(this, leftNanos);
    }
  }

  /** Its turn did not come in time; it is no longer in the queue when the next batch is filled. */
  private void giveUp(Ticket<D, R> ticket) {
    queue.remove(ticket);
    waiting.addAndGet(-ticket.demands.size());
    ticket.failure =
        new StoreException(
            StoreException.Outcome.NONE,
            "no turn within " + Duration.ofNanos(patienceNanos) + ": the store hangs");
    ticket.isDone = true;
    // It may be the one that was woken to start the next batch.
    wakeNext();
  }

  private boolean mayStart() {
    int beside = batches.get();
    return beside == 0 || (beside < mostBatches && waiting.get() >= underWay.get() / 2);
  }

  /**
   * A caller that could not start either sees that it can by now, or is seen here: its ticket was
   * in the queue, with its thread, before it looked. So this is called whenever there is less to
   * wait for. A caller that is not there yet, or at work, looks for itself when it is.
   */
  private void wakeNext() {
    if (mayStart()) {
      for (Ticket<D, R> next : queue) {
        Thread caller = next.caller;
        if (!next.isTaken() && caller != null && !next.isCallerAtWork) {
          LockSupport.unpark(caller);
          return;
        }
      }
    }
  }

  /**
   * Takes the tickets that are first in the queue, which need not include that of the caller; none
   * if it may not start.
   */
  @SuppressWarnings("ThreadPriorityCheck") // Nothing depends on the yield, it only fills batches.
  private List<Ticket<D, R>> nextBatch(Ticket<D, R> own) {
    try {
      if (own.isTaken() || !mayStart()) {
        return List.of();
      }
      // Those who were answered a moment ago and ask again at once get the chance to join.
      Thread.yield();
      int most = batchSize();
      List<Ticket<D, R>> batch = new ArrayList<>();
      int demands = 0;
      Ticket<D, R> next = queue.peek();
      // The first goes whatever its size.
      while (next != null && (batch.isEmpty() || demands + next.demands.size() <= most)) {
        // One that is given up at this moment is taken by its caller.
        if (next.take()) {
          batch.add(next);
          demands += next.demands.size();
        }
        queue.remove(next);
        next = queue.peek();
      }
      own.isCallerAtWork = true;
      batches.incrementAndGet();
      underWay.addAndGet(demands);
      waiting.addAndGet(-demands);
      return batch;
    } finally {
      gathering.set(false);
      wakeNext();
    }
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

    /** Until when it waits for its turn. */
    final long deadlineNanos;

    /** It is in a batch, or was given up, so its caller starts none. */
    private final AtomicBoolean taken = new AtomicBoolean();

    List<R> results = List.of();
    @Nullable RuntimeException failure;

    /** Null until a caller waits for the results. */
    volatile @Nullable Thread caller;

    /** Its caller works on a batch and cannot be woken to start another. */
    volatile boolean isCallerAtWork;

    /** Written last: publishes results and failure. */
    volatile boolean isDone;

    Ticket(List<D> demands, long deadlineNanos) {
      this.demands = demands;
      this.deadlineNanos = deadlineNanos;
    }

    boolean isTaken() {
      return taken.get();
    }

    /** True for one caller only: it puts the ticket into a batch, or gives it up. */
    boolean take() {
      return taken.compareAndSet(false, true);
    }

    List<R> results() {
      if (failure != null) {
        throw StoreException.shared(failure);
      }
      return results;
    }
  }
}
