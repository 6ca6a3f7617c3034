package dev.weir.payments.workflows;

import dev.weir.payments.Payment;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.PaymentStore.OpenPayment;
import dev.weir.payments.PaymentStore.Position;
import dev.weir.workflows.PacedBatch;
import dev.weir.workflows.PacedStart;
import dev.weir.workflows.PacedStarter;
import dev.weir.workflows.internal.Tasks;
import io.temporal.client.WorkflowClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Completes what a crash has interrupted: feeds whose payments are not all started, and payments
 * whose time has passed without an end. Both are started again; what runs already stays as it is,
 * and a payment that has ended is not made again.
 *
 * <p>Several may run at the same time, on several nodes. Not thread-safe itself.
 */
public final class PaymentReconciler implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(PaymentReconciler.class);
  private static final int MAX_FEEDS = 100;
  private static final int PAGE = 500;

  /** Payments that are started at the same time. */
  private static final int MAX_CONCURRENT = 16;

  /** Payments that are looked at in one run; the next run continues after them. */
  private static final int MAX_PAYMENTS = 5_000;

  /** The ends of the spans of time whose payments are started in no particular order. */
  private static final List<Duration> RESTARTED_TOGETHER =
      List.of(
          Duration.ZERO,
          Duration.ofMinutes(1),
          Duration.ofMinutes(10),
          Duration.ofHours(1),
          Duration.ofHours(6),
          Duration.ofDays(1),
          Duration.ofDays(7));

  private final PaymentStore store;
  private final PacedStarter starter;
  private final PaymentStarts starts;
  private final PaymentParts parts;
  private final Duration grace;
  private final int page;
  private final int maxPayments;
  private Position reached = Position.START;

  /** How long ago the slots of payments were that are looked at, until all of them are. */
  private Duration late;

  /** Where the restart of all payments is, from one page to the next. */
  private Restart restart = Restart.NONE;

  /**
   * A restart of all payments.
   *
   * @param begun when it began, from which the spans count
   * @param span the index of the span that is being started
   * @param position where the next page of the span begins
   */
  private record Restart(Instant begun, int span, Position position) {
    static final Restart NONE = new Restart(Instant.MIN, 0, Position.START);

    Instant from() {
      return span == 0 ? Instant.MIN : begun.plus(RESTARTED_TOGETHER.get(span - 1));
    }

    Instant before() {
      return isLast() ? Instant.MAX : begun.plus(RESTARTED_TOGETHER.get(span));
    }

    /**
     * Returns true if held payments are started too: those that are not due may be resumed in time.
     */
    boolean isForHeld() {
      return span > 0;
    }

    boolean isLast() {
      return span == RESTARTED_TOGETHER.size();
    }

    /** Returns what follows a page of which a position is the end. */
    Restart after(Position end) {
      if (!end.equals(Position.START)) {
        return new Restart(begun, span, end);
      }
      return isLast() ? NONE : new Restart(begun, span + 1, Position.START);
    }
  }

  /**
   * @param grace the time after its slot at which a payment should have ended
   */
  public PaymentReconciler(WorkflowClient client, PaymentParts parts, Duration grace) {
    this(client, parts, grace, PAGE, MAX_PAYMENTS);
  }

  PaymentReconciler(
      WorkflowClient client, PaymentParts parts, Duration grace, int page, int maxPayments) {
    this.store = parts.store();
    this.starts = new PaymentStarts(client, parts.taskQueue());
    this.starter = PaymentWorker.starter(client, parts.slots(), parts.clock());
    this.parts = parts;
    this.grace = grace;
    this.late = grace;
    this.page = page;
    this.maxPayments = maxPayments;
  }

  /** Runs one round. */
  @Override
  public void run() {
    boolean unused = runPart();
  }

  /**
   * Runs one round.
   *
   * @return whether there may be more payments than it has looked at; the next round begins there
   * @throws IllegalStateException at its end, if another workflow has the id of a feed
   */
  public boolean runPart() {
    closeFeeds();
    Optional<IllegalStateException> refused = startFeeds();
    boolean isMore = startLost();
    throwIfAny(refused);
    return isMore;
  }

  private boolean startLost() {
    Instant before = store.now().minus(late);
    for (int looked = 0; looked < maxPayments; looked += page) {
      reached = restart(store.overdue(before, reached, page), Level.WARN);
      if (reached.equals(Position.START)) {
        late = grace;
        return false;
      }
    }
    return true;
  }

  /**
   * Lets the next round begin with the first payments, some of which may be open again, or have
   * been held when their time came: it does not wait until they are late.
   */
  public void beginAnew() {
    reached = Position.START;
    late = Duration.ZERO;
  }

  /** Does what is left to do for feeds: all of a round except the start of lost payments. */
  public void tidyUp() {
    closeFeeds();
    resumeFeeds();
  }

  private void closeFeeds() {
    // Before feeds are closed, because those of closed feeds are not looked at.
    if (freeSlotsOfCancelled()) {
      store.closeFeeds();
    }
  }

  /**
   * Frees slots of payments that were cancelled with their feeds, and slots that were assigned, or
   * not freed, because a cancellation was interrupted.
   *
   * @return false if there may be more
   */
  private boolean freeSlotsOfCancelled() {
    for (int looked = 0; looked < maxPayments; looked += page) {
      List<String> cancelled = store.cancelledWithSlots(page);
      cancelled.forEach(parts.slots()::cancel);
      if (cancelled.size() < page) {
        return true;
      }
    }
    return false;
  }

  /**
   * Starts a page of all open payments again, at the times of their slots: for a Temporal server
   * that has lost its workflows, or keeps them only in memory. All of a million take hours, so
   * those that are due come first, then those that are due soon, and feeds that arrive meanwhile
   * are started too. A page that fails is the next one again.
   *
   * @return whether there may be more; if not, the next call begins from the start
   * @throws IllegalStateException after the page, if another workflow has the id of a feed
   */
  public boolean restartPage() {
    if (restart.equals(Restart.NONE)) {
      restart = new Restart(store.now(), 0, Position.START);
    }
    Optional<IllegalStateException> refused = startFeeds();
    restart =
        restart.after(
            restart(
                store.open(
                    restart.from(),
                    restart.before(),
                    restart.isForHeld(),
                    restart.position(),
                    page),
                Level.INFO));
    throwIfAny(refused);
    return !restart.equals(Restart.NONE);
  }

  /**
   * Starts the payments of feeds that were received and are not completely started.
   *
   * @throws IllegalStateException if another workflow has the id of a feed
   */
  public void resumeFeeds() {
    throwIfAny(startFeeds());
  }

  /** Returns why a feed could not be started, if that is so; it keeps nothing else from being. */
  private Optional<IllegalStateException> startFeeds() {
    Optional<IllegalStateException> refused = Optional.empty();
    for (String feedId : store.startingFeeds(MAX_FEEDS)) {
      try {
        starts.startFeed(feedId, store.startedUntil(feedId));
      } catch (IllegalStateException e) {
        refused = Optional.of(e);
      }
    }
    return refused;
  }

  private static void throwIfAny(Optional<IllegalStateException> refused) {
    if (refused.isPresent()) {
      throw refused.get();
    }
  }

  /**
   * Starts a page of payments again. Returns where it ends, or the start after the last page.
   *
   * @param level how remarkable it is that their workflows do not run
   */
  private Position restart(List<OpenPayment> open, Level level) {
    if (!open.isEmpty()) {
      PacedBatch batch =
          starter.assign(open.stream().map(entry -> starts.request(entry.payment())).toList());
      List<Restarted> restarted =
          Tasks.runAll(
              MAX_CONCURRENT,
              IntStream.range(0, open.size())
                  .<Callable<Restarted>>mapToObj(
                      i -> () -> restart(open.get(i).payment(), batch, i))
                  .toList());
      long lost = restarted.stream().filter(Restarted::wasLost).count();
      if (lost > 0) {
        parts.observer().restarted(lost);
        log.atLevel(level).log("{} payments had no running workflow and were started again", lost);
      }
      restarted.stream()
          .flatMap(each -> each.withoutSlot().stream())
          .findFirst()
          .ifPresent(reason -> log.warn("Payments that are due have lost their slots: {}", reason));
    }
    return open.size() < page ? Position.START : open.getLast().position();
  }

  /**
   * A payment that was started again, or was not.
   *
   * @param wasLost whether it was open without a running workflow
   * @param withoutSlot why it has no slot; empty if it has one
   */
  private record Restarted(boolean wasLost, Optional<String> withoutSlot) {}

  /**
   * Starts a payment again. If it has ended since it was found open, its workflow has ended as it
   * should. That is known only after the start, which succeeds only if no workflow runs: before, it
   * could end at any time.
   */
  private Restarted restart(Payment payment, PacedBatch batch, int index) {
    String paymentId = payment.paymentId();
    if (starts.runsUnderFormerId(paymentId)) {
      return new Restarted(false, Optional.empty());
    }
    PacedStart paced = batch.start(index, index + 1).getFirst();
    PacedStart start = paced instanceof PacedStart.NoSlot none ? withoutSlot(payment, none) : paced;
    if (start instanceof PacedStart.IdTaken taken) {
      PaymentStarts.refuse(store, payment, taken);
    }
    return new Restarted(
        start instanceof PacedStart.Started && !hasEnded(paymentId),
        paced instanceof PacedStart.NoSlot none ? Optional.of(none.reason()) : Optional.empty());
  }

  /**
   * Starts a payment without a slot, if its time has come: its workflow waits for a slot, and gives
   * the payment up if there is none for long. Nobody else would end it.
   */
  private PacedStart withoutSlot(Payment payment, PacedStart.NoSlot none) {
    Instant now = store.now();
    return payment.requestedTime().filter(time -> time.isAfter(now)).isPresent()
        ? none
        : starts.startNow(payment.paymentId(), now);
  }

  private boolean hasEnded(String paymentId) {
    return store.find(paymentId).filter(payment -> !payment.state().isOpen()).isPresent();
  }
}
