package dev.weir.payments.server.node;

import dev.weir.PartOwnership;
import dev.weir.StoreException;
import dev.weir.payments.PaymentStore;
import dev.weir.payments.workflows.Payments;
import dev.weir.workflows.SlotSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes payments in the background: it starts Temporal's worker and everything that it needs,
 * watches whether Temporal can be reached, and starts again what a crash has interrupted.
 *
 * <p>On embedded parts nothing is started, and no class of Temporal is loaded, before there is a
 * payment to make: one of a feed that was just received, or one that was left open when the node
 * ended. Only one node of a database makes payments on embedded parts: each Temporal would start
 * all of them. A node that knows of no payment API makes none and says so while there are any.
 * Thread-safe.
 */
final class PaymentRuntime implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PaymentRuntime.class);

  /** Between two looks whether Temporal can be reached. */
  private static final Duration BETWEEN_ROUNDS = Duration.ofSeconds(10);

  /** The time after which a feed that gets no more records was given up by its sender. */
  private static final Duration MAX_SILENCE = Duration.ofHours(6);

  private static final Duration MAX_STOP = Duration.ofSeconds(30);

  private final PaymentStore store;
  private final SlotSource slots;
  private final PartOwnership ownership;
  private final boolean isEmbedded;
  private final PaymentSettings.Api api;
  private final Duration grace;
  private final Supplier<RunningPayments> starting;

  /** Holds a round that was asked for. */
  private final BlockingQueue<Boolean> asked = new ArrayBlockingQueue<>(1);

  /** Whether the next round should not wait to start payments again. */
  private final AtomicBoolean isReconcilingAsked = new AtomicBoolean();

  private final Thread thread;
  private volatile @Nullable RunningPayments running;
  private volatile String problem = "";

  /** Where payments are made if not by this node; empty if by this node or not known. */
  private volatile String otherNode = "";

  /** Why Weir itself holds all payments; empty if it does not. */
  private volatile String holdReason = "";

  private volatile boolean isClosed;

  /**
   * The problem that was logged last, without its cause. This and the rest belong to the thread.
   */
  private String reported = "";

  /** Whether Temporal may know nothing of open payments. */
  private boolean hasLostWorkflows;

  /** Whether payments that were held, or had failed, are being started again. */
  private boolean isReopening;

  /** When payments were last reconciled. */
  private long reconciledNanos;

  /**
   * Starts the thread.
   *
   * @param ownership the right to make the payments of the database
   * @param starting starts what makes payments; throws if that is not possible now
   */
  PaymentRuntime(
      PaymentSettings settings,
      PaymentStore store,
      SlotSource slots,
      PartOwnership ownership,
      Supplier<RunningPayments> starting) {
    this.store = store;
    this.slots = slots;
    this.ownership = ownership;
    this.isEmbedded = settings.temporal().isEmpty();
    this.api = settings.api();
    this.grace = settings.grace();
    this.starting = starting;
    this.thread = Thread.ofPlatform().daemon().name("weir-payments").start(this::run);
  }

  /** Has the payments of feeds started that were received. */
  void feedReceived() {
    // If it holds one, a round begins after this call, and finds the feed.
    boolean unused = asked.offer(true);
  }

  /** Has payments started whose slots have passed and that were held, or had failed. */
  void paymentsReopened() {
    isReconcilingAsked.set(true);
    boolean unused = asked.offer(true);
  }

  /** Cancels a payment that has not run; empty if there is none. */
  Optional<PaymentStore.Cancellation> cancel(String paymentId) {
    RunningPayments known = running;
    return known == null || isDown()
        ? Payments.cancel(store, slots, paymentId)
        : known.payments().cancel(paymentId);
  }

  boolean isDown() {
    return !problem.isEmpty();
  }

  /** Returns why payments are not made, as far as the last round knows; empty if they are. */
  String problem() {
    return problem;
  }

  /** Returns why Weir itself holds all payments, as far as the last round knows. */
  String holdReason() {
    return holdReason;
  }

  /** Returns which other node makes the payments; empty if none is known to. */
  String otherNode() {
    return otherNode;
  }

  private void run() {
    try {
      while (!isClosed) {
        if (!tryRound()) {
          await();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void await() throws InterruptedException {
    asked.poll(BETWEEN_ROUNDS.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Returns whether the next round should begin at once. */
  private boolean tryRound() {
    try {
      // Also if this node makes no payments any more: it may be the only one that knows.
      boolean unusedToo = store.holdIfRestored();
      holdReason = store.holdReason();
      // If there is more, the next round removes it.
      boolean unused = store.discardGivenUp(MAX_SILENCE);
      round();
      report("", "");
      return hasLostWorkflows || isReopening;
    } catch (StoreException e) {
      // The database is reported elsewhere.
      log.debug("Payments wait for the database: {}", e.getMessage());
    } catch (RuntimeException | Error e) {
      if (!isClosed) {
        log.debug("A round of payments failed", e);
        report(text(e), e.getCause() == null ? "" : ": " + text(e.getCause()));
      }
    }
    return false;
  }

  private static String text(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  private void round() {
    if (api.target() instanceof PaymentSettings.Target.None) {
      // Before the ownership, which another node may need that has a payment API.
      if (hasOpenPayments()) {
        throw new IllegalStateException(RunningPayments.NO_API);
      }
      return;
    }
    RunningPayments known = running;
    if (known == null && isEmbedded && otherNode.isEmpty() && !hasOpenPayments()) {
      return;
    }
    if (!ownership.acquire()) {
      leaveToOwner();
      return;
    }
    otherNode = "";
    if (known != null && known.isOutOfTime()) {
      known = null;
      end("The clock of this machine was set, which the embedded Temporal goes by; it starts anew");
    }
    if (known == null) {
      if (isEmbedded && !hasOpenPayments()) {
        // There is nothing to make any more; the node that gets a payment makes it.
        ownership.close();
        return;
      }
      known = starting.get();
      running = known;
      hasLostWorkflows = isEmbedded;
      // Long ago, so that the first round reconciles.
      reconciledNanos = System.nanoTime() - grace.toNanos();
      log.info("Payments are made by {} and {}", known, api);
    }
    known.check();
    boolean isAsked = isReconcilingAsked.getAndSet(false);
    if (isAsked) {
      isReopening = true;
      known.reconciler().beginAnew();
    }
    boolean isDue = isAsked || System.nanoTime() - reconciledNanos >= grace.toNanos();
    if (hasLostWorkflows) {
      // All pages may take hours, in which feeds end and others arrive.
      if (isDue) {
        known.reconciler().tidyUp();
        reconciledNanos = System.nanoTime();
      }
      hasLostWorkflows = known.reconciler().restartPage();
    } else if (isDue || isReopening) {
      // All of them at once, however many wait: a round looks at a limited number.
      isReopening = known.reconciler().runPart() && isReopening;
      reconciledNanos = System.nanoTime();
    } else {
      known.reconciler().resumeFeeds();
    }
  }

  /** Ends what makes payments on this node, because another one owns them. */
  private void leaveToOwner() {
    end("Payments are made by another node from now on; those of this one are ended");
    String owner = ownership.owner();
    if (!owner.equals(otherNode)) {
      otherNode = owner;
      log.warn(
          "Payments of this database are made by {}, which has the embedded Temporal; this node"
              + " only takes feeds. For several nodes that make payments, set"
              + " temporal.service-address",
          owner);
    }
  }

  /** Ends what makes payments on this node, if anything does. */
  private void end(String why) {
    RunningPayments known = running;
    if (known != null) {
      running = null;
      hasLostWorkflows = false;
      isReopening = false;
      log.warn(why);
      known.close();
    }
  }

  private boolean hasOpenPayments() {
    return !store.startingFeeds(1).isEmpty()
        || !store.overdue(Instant.MAX, PaymentStore.Position.START, 1).isEmpty();
  }

  /**
   * @param what the problem, which is logged when it appears or changes; empty if there is none
   * @param why may differ each time
   */
  private void report(String what, String why) {
    boolean isKnown = what.equals(reported);
    reported = what;
    problem = what + why;
    if (isKnown) {
      return;
    }
    if (what.isEmpty()) {
      log.info("Nothing keeps payments from being made any more");
    } else {
      log.warn("Payments are not made: {}", problem);
    }
  }

  @Override
  public void close() {
    isClosed = true;
    thread.interrupt();
    try {
      thread.join(MAX_STOP);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      RunningPayments known = running;
      if (known != null) {
        known.close();
      }
    } finally {
      // After the last call, because the next owner begins then.
      ownership.close();
    }
  }

  @Override
  public String toString() {
    return "payments";
  }
}
