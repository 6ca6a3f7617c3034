package dev.weir.internal;

import dev.weir.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Natural batching: while one batch is in progress, the next callers queue up, and the next batch
 * takes all of them. There is no timer: one of the callers does the work for the others, and a
 * caller that finds no batch in progress starts one immediately.
 *
 * <p>If several batches may be in progress at a time, so that the store need not idle while the
 * results of another batch are delivered, the waiting callers are divided among them: a batch
 * starts beside another one only with at least half as many requests.
 *
 * <p>Requests are processed in the order in which they were {@linkplain #enqueue enqueued}; only
 * batches that are in progress at the same time have no order among themselves.
 *
 * <p>With a maximum wait, callers whose turn does not come within it, or an eighth more, are told
 * that nothing was done: a batch that hangs must not keep the callers of all following batches
 * waiting in turn. A thread that ends when nothing waits watches over that.
 *
 * <p>With {@linkplain #withThread a thread of its own}, a caller that finds no batch in progress
 * hands the first one over, and the thread works on one batch after the other while callers wait.
 *
 * <p>Callers block and are meant to be virtual threads. Thread-safe.
 *
 * @param <T> a request
 * @param <R> its result
 */
public final class Batcher<T, R> {
  /** Fewer waiting requests are not divided, because each batch has a cost of its own. */
  private static final int MIN_TO_DIVIDE = 8;

  /** How often deadlines are checked within a maximum wait, which bounds how late they are. */
  private static final int DEADLINE_CHECKS = 8;

  /** How long a thread of its own waits for the next batch before it ends. */
  private static final Duration MAX_IDLE = Duration.ofSeconds(10);

  /** Half of the range of nanoseconds, so that it can be added to any time. */
  private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE / 2);

  private final Function<List<T>, List<R>> work;
  private final int maxBatch;
  private final int maxWaiting;
  private final int maxBatches;
  private final long maxWaitNanos;

  /** Works on batches; null if the caller that gathers a batch does. */
  private final @Nullable Executor worker;

  private final Queue<Ticket<T, R>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();

  /** Set by the caller that is removing tickets from the queue. */
  private final AtomicBoolean gathering = new AtomicBoolean();

  /** True while a thread watches the deadlines of waiting tickets. */
  private final AtomicBoolean watching = new AtomicBoolean();

  private final AtomicInteger batches = new AtomicInteger();
  private final AtomicInteger inProgress = new AtomicInteger();

  /**
   * Creates a batcher that runs one batch at a time.
   *
   * @param work returns the result of each of a list of requests, in order
   * @param maxBatch maximum number of requests in a batch
   * @param maxWaiting maximum number of waiting requests; further ones are rejected
   */
  public Batcher(Function<List<T>, List<R>> work, int maxBatch, int maxWaiting) {
    this(work, maxBatch, maxWaiting, 1);
  }

  /**
   * Creates a batcher that runs several batches at a time.
   *
   * @param maxBatches maximum number of batches in progress at a time
   */
  public Batcher(Function<List<T>, List<R>> work, int maxBatch, int maxWaiting, int maxBatches) {
    this(work, maxBatch, maxWaiting, maxBatches, TimeUnit.NANOSECONDS.convert(FOREVER), null);
  }

  private Batcher(
      Function<List<T>, List<R>> work,
      int maxBatch,
      int maxWaiting,
      int maxBatches,
      long maxWaitNanos,
      @Nullable Executor worker) {
    this.work = work;
    this.maxBatch = maxBatch;
    this.maxWaiting = maxWaiting;
    this.maxBatches = maxBatches;
    this.maxWaitNanos = maxWaitNanos;
    this.worker = worker;
  }

  /**
   * Returns a batcher like this one in which requests whose turn has not come within {@code
   * maxWait} fail. The work itself must have its own time limit.
   */
  public Batcher<T, R> withMaxWait(Duration maxWait) {
    return new Batcher<>(
        work, maxBatch, maxWaiting, maxBatches, TimeUnit.NANOSECONDS.convert(maxWait), worker);
  }

  /**
   * Returns a batcher like this one whose batches are worked on by a platform thread of its own for
   * each that may be in progress. It ends when there is nothing to do for some time.
   *
   * <p>For work that waits for a store several times. A virtual thread goes on only when it has its
   * turn among all callers that were woken meanwhile, after each answer of the store anew.
   */
  public Batcher<T, R> withThread(String name) {
    ThreadPoolExecutor thread =
        new ThreadPoolExecutor(
            maxBatches,
            maxBatches,
            MAX_IDLE.toNanos(),
            TimeUnit.NANOSECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name(name).factory());
    thread.allowCoreThreadTimeOut(true);
    return withWorker(thread);
  }

  Batcher<T, R> withWorker(Executor anyWorker) {
    return new Batcher<>(work, maxBatch, maxWaiting, maxBatches, maxWaitNanos, anyWorker);
  }

  /** Requests that have their turn; {@link #await} must be called, by any one thread. */
  public interface Pending<R> {
    /** Waits for the results, and works on a batch itself if no other caller does. */
    List<R> await();
  }

  /** Waits until the requests have been processed, together with those of other callers. */
  public List<R> submit(List<T> requests) {
    return enqueue(requests).await();
  }

  /** Queues the requests behind all that were enqueued earlier. Does not wait. */
  public Pending<R> enqueue(List<T> requests) {
    if (waiting.addAndGet(requests.size()) > maxWaiting) {
      waiting.addAndGet(-requests.size());
      throw new StoreException(
          StoreException.Outcome.NONE,
          "overloaded: more than " + maxWaiting + " requests are waiting");
    }
    Ticket<T, R> ticket = new Ticket<>(requests, System.nanoTime() + maxWaitNanos);
    queue.add(ticket);
    return () -> await(ticket);
  }

  private List<R> await(Ticket<T, R> ticket) {
    ticket.caller = Thread.currentThread();
    boolean interrupted = false;
    while (!ticket.isDone) {
      if (!ticket.isTaken() && mayStart() && gathering.compareAndSet(false, true)) {
        // An earlier interrupt would also abort the work that others wait for.
        interrupted |= Thread.interrupted();
        handOver(nextBatch(ticket));
        ticket.isCallerWorking = false;
      } else {
        if (watchDeadlines()) {
          LockSupport.park(this);
        } else {
          LockSupport.parkNanos(this, maxWaitNanos / DEADLINE_CHECKS);
        }
        // The work is in progress and will be completed: an interrupt must not abort it.
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return ticket.results();
  }

  /**
   * Has a thread watch the deadlines of all waiting tickets, unless one does already. Timed parking
   * of each caller would cost more than its part of a batch: every such park of a virtual thread
   * schedules and cancels a task.
   *
   * @return false if there is no thread to be had at the moment
   */
  private boolean watchDeadlines() {
    if (maxWaitNanos != FOREVER.toNanos() && watching.compareAndSet(false, true)) {
      try {
        Thread.ofPlatform().daemon().name("weir-batch-deadlines").start(this::watch);
      } catch (OutOfMemoryError e) {
        watching.set(false);
        return false;
      }
    }
    return true;
  }

  /** Gives up overdue tickets, and ends when no ticket is waiting. */
  private void watch() {
    do {
      LockSupport.parkNanos(this, maxWaitNanos / DEADLINE_CHECKS);
      giveUpOverdue();
    } while (waiting.get() > 0);
    watching.set(false);
    // A caller that came in between has seen that deadlines are watched.
    if (waiting.get() > 0) {
      var unused = watchDeadlines();
    }
  }

  private void giveUpOverdue() {
    long now = System.nanoTime();
    for (Ticket<T, R> ticket : queue) {
      if (ticket.deadlineNanos - now > 0) {
        return;
      }
      if (ticket.take()) {
        giveUp(ticket);
      }
    }
  }

  /** Fails a ticket whose turn did not come in time and removes it from the queue. */
  private void giveUp(Ticket<T, R> ticket) {
    queue.remove(ticket);
    waiting.addAndGet(-ticket.requests.size());
    ticket.failure =
        new StoreException(
            StoreException.Outcome.NONE,
            "no turn within " + Duration.ofNanos(maxWaitNanos) + ": the store hangs");
    ticket.isDone = true;
    LockSupport.unpark(ticket.caller);
    // This caller may be the one that was woken to start the next batch.
    wakeNext();
  }

  private boolean mayStart() {
    int running = batches.get();
    return running == 0 || (running < maxBatches && waiting.get() >= inProgress.get() / 2);
  }

  /**
   * Wakes a caller that may start a batch, if there is one. A caller that could not start either
   * notices that it can by now, or is found here: its ticket, with its thread, was in the queue
   * before it checked. So this is called whenever there is less to wait for. A caller that is not
   * waiting yet, or is working, checks again before it waits.
   */
  private void wakeNext() {
    if (mayStart()) {
      for (Ticket<T, R> next : queue) {
        Thread caller = next.caller;
        if (!next.isTaken() && caller != null && !next.isCallerWorking) {
          LockSupport.unpark(caller);
          return;
        }
      }
    }
  }

  /** Takes a batch for a caller; returns none if its own ticket is taken or no batch may start. */
  @SuppressWarnings("ThreadPriorityCheck") // Nothing depends on the yield, it only fills batches.
  private List<Ticket<T, R>> nextBatch(Ticket<T, R> own) {
    if (own.isTaken() || !mayStart()) {
      gathering.set(false);
      wakeNext();
      return List.of();
    }
    // Lets callers that were completed a moment ago and come back immediately join the batch.
    Thread.yield();
    own.isCallerWorking = worker == null;
    return takeBatch();
  }

  /**
   * Takes the first tickets of the queue, which need not include that of the caller; returns none
   * if no batch may start. Must be called by the thread that has set {@link #gathering}.
   */
  private List<Ticket<T, R>> takeBatch() {
    try {
      if (!mayStart()) {
        return List.of();
      }
      int size = batchSize();
      List<Ticket<T, R>> batch = new ArrayList<>();
      int requests = 0;
      Ticket<T, R> next = queue.peek();
      // The first ticket is taken whatever its size.
      while (next != null && (batch.isEmpty() || requests + next.requests.size() <= size)) {
        // A ticket that is given up at this moment is taken by its own caller.
        if (next.take()) {
          batch.add(next);
          requests += next.requests.size();
        }
        queue.remove(next);
        next = queue.peek();
      }
      // It is empty if all that waited were given up meanwhile.
      if (!batch.isEmpty()) {
        batches.incrementAndGet();
        inProgress.addAndGet(requests);
        waiting.addAndGet(-requests);
      }
      return batch;
    } finally {
      gathering.set(false);
      wakeNext();
    }
  }

  private int batchSize() {
    int waitingNow = waiting.get();
    boolean isDivided = maxBatches > 1 && batches.get() == 0 && waitingNow >= MIN_TO_DIVIDE;
    return isDivided ? Math.min(maxBatch, Math.ceilDiv(waitingNow, 2)) : maxBatch;
  }

  /** Has a batch worked on, by the caller unless there is another worker. */
  private void handOver(List<Ticket<T, R>> tickets) {
    if (tickets.isEmpty()) {
      return;
    }
    if (worker == null) {
      workOn(tickets);
      wakeNext();
      return;
    }
    try {
      worker.execute(() -> workOnAll(tickets));
    } catch (RuntimeException | Error e) {
      // There is no thread for the batch, and its callers must not wait for one.
      end(tickets, List.of(), e);
      wakeNext();
    }
  }

  /** Works on a batch, and then on those that have gathered meanwhile. */
  private void workOnAll(List<Ticket<T, R>> first) {
    List<Ticket<T, R>> batch = first;
    while (!batch.isEmpty()) {
      workOn(batch);
      batch = waiting.get() > 0 && gathering.compareAndSet(false, true) ? takeBatch() : List.of();
    }
    wakeNext();
  }

  private void workOn(List<Ticket<T, R>> tickets) {
    List<R> results = List.of();
    @Nullable Throwable failure = null;
    try {
      List<T> requests = new ArrayList<>(tickets.size());
      tickets.forEach(ticket -> requests.addAll(ticket.requests));
      results = work.apply(requests);
    } catch (RuntimeException | Error e) {
      failure = e;
    } finally {
      end(tickets, results, failure);
    }
  }

  private void end(List<Ticket<T, R>> tickets, List<R> results, @Nullable Throwable failure) {
    int count = 0;
    for (Ticket<T, R> ticket : tickets) {
      count += ticket.requests.size();
    }
    inProgress.addAndGet(-count);
    batches.decrementAndGet();
    complete(tickets, results, failure);
  }

  private static <T, R> void complete(
      List<Ticket<T, R>> tickets, List<R> results, @Nullable Throwable failure) {
    int from = 0;
    for (Ticket<T, R> ticket : tickets) {
      int until = from + ticket.requests.size();
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

  private static final class Ticket<T, R> {
    final List<T> requests;

    /** The time until which it waits for its turn. */
    final long deadlineNanos;

    /** Set when the ticket is in a batch or was given up, so that its caller starts no batch. */
    private final AtomicBoolean taken = new AtomicBoolean();

    List<R> results = List.of();
    @Nullable Throwable failure;

    /** The waiting thread; null until a caller waits for the results. */
    volatile @Nullable Thread caller;

    /** True while its caller works on a batch and cannot be woken to start another. */
    volatile boolean isCallerWorking;

    /** Written last: publishes {@link #results} and {@link #failure}. */
    volatile boolean isDone;

    Ticket(List<T> requests, long deadlineNanos) {
      this.requests = requests;
      this.deadlineNanos = deadlineNanos;
    }

    boolean isTaken() {
      return taken.get();
    }

    /** Returns true for one caller only, which puts the ticket into a batch or gives it up. */
    boolean take() {
      return taken.compareAndSet(false, true);
    }

    List<R> results() {
      if (failure instanceof Error error) {
        // This process failed, not the store.
        throw error;
      }
      if (failure instanceof RuntimeException exception) {
        throw StoreException.shared(exception);
      }
      return results;
    }
  }
}
