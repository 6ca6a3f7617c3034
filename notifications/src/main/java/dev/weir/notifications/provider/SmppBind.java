package dev.weir.notifications.provider;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jsmpp.bean.BindType;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.TypeOfNumber;
import org.jsmpp.extra.SessionState;
import org.jsmpp.session.BindParameter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bind to a message centre, kept also while there is nothing to send, because receipts come by
 * it. It is made again after it was lost, with growing pauses while binds fail or do not last, and
 * given up if the message centre does not answer to {@code enquire_link}. Thread-safe.
 */
final class SmppBind implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SmppBind.class);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(30);
  private static final Duration CHECK_EVERY = Duration.ofSeconds(1);

  /**
   * How long the answer to an unbind is awaited. Often it is lost, because the message centre ends
   * the connection with it, and nothing depends on it.
   */
  private static final Duration MAX_UNBIND = Duration.ofSeconds(1);

  /** How long an answer is awaited that is late; jSMPP drops those that come later. */
  private static final Duration MAX_LATE = Duration.ofMinutes(10);

  /** Receipts that are recorded at a time, and that wait for it; the next ones are refused. */
  private static final int RECEIVERS = 3;

  private static final int MAX_RECEIPTS = 100;

  private final SmppSettings settings;
  private final ReceiptListener receiver;
  private final Consumer<CentreSession> lost;
  private final ThreadPoolExecutor receiving;
  private final Thread thread;

  // The rest is guarded by the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private @Nullable CentreSession session;
  private @Nullable String failure;
  private long sinceNanos;

  /** Binds in a row that failed, or did not last. */
  private int failures;

  private boolean isClosed;
  private long activityMillis;
  private long activityNanos;

  /**
   * Begins to bind.
   *
   * @param lost is told about sessions that have ended
   */
  SmppBind(SmppSettings settings, ReceiptListener receiver, Consumer<CentreSession> lost) {
    this.settings = settings;
    this.receiver = receiver;
    this.lost = lost;
    this.receiving =
        new ThreadPoolExecutor(
            RECEIVERS,
            RECEIVERS,
            CHECK_EVERY.toMillis(),
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(MAX_RECEIPTS),
            Thread.ofPlatform().daemon().name("weir-smpp-receipts-", 0).factory());
    receiving.allowCoreThreadTimeOut(true);
    this.thread = Thread.ofPlatform().daemon().name("weir-smpp").unstarted(this::run);
    thread.start();
  }

  /**
   * Returns the session, and waits for the first one, or the next, up to the time-out.
   *
   * @throws IOException if there is none
   */
  CentreSession await() throws IOException {
    long nanos = settings.timeout().toNanos();
    lock.lock();
    try {
      while (true) {
        if (session != null && session.isOpen()) {
          return session;
        }
        if (isClosed) {
          throw new IOException("the provider is closed");
        }
        if (failure != null) {
          throw new IOException(failure);
        }
        if (nanos <= 0) {
          throw new IOException("not bound within " + settings.timeout());
        }
        nanos = changed.awaitNanos(nanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      lock.unlock();
    }
  }

  /** Ends a session, so that another one is bound. */
  void discard(CentreSession ended) {
    ended.close();
    ended(ended);
  }

  /**
   * Lets another session be bound, because the message centre takes no more messages by this one,
   * or wants to end it. It stays open for the answers to what was submitted.
   */
  void retire(CentreSession former) {
    if (former.retire()) {
      forget(former);
      Thread unused =
          Thread.ofVirtual()
              .name("weir-smpp-retire")
              .start(() -> former.end(settings.timeout(), MAX_UNBIND));
    }
  }

  private void ended(CentreSession ended) {
    forget(ended);
    lost.accept(ended);
  }

  private void forget(CentreSession former) {
    lock.lock();
    try {
      if (former.equals(session)) {
        session = null;
        boolean hasLasted = System.nanoTime() - sinceNanos > MAX_PAUSE.toNanos();
        failures = hasLasted ? 0 : failures + 1;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (true) {
      @Nullable CentreSession known = known();
      if (known == null) {
        bind();
      } else if (isSilent(known)) {
        log.warn("{} does not answer, and is bound again", settings);
        discard(known);
      }
      if (isClosedAfterPause()) {
        return;
      }
    }
  }

  private @Nullable CentreSession known() {
    lock.lock();
    try {
      return session;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until there is something to do; returns true if that is nothing any more. */
  private boolean isClosedAfterPause() {
    lock.lock();
    try {
      long startNanos = System.nanoTime();
      long nanos = 1;
      while (!isClosed && nanos > 0) {
        // A bind that is lost meanwhile is made again earlier, or later if it did not last.
        nanos = startNanos + pause().toNanos() - System.nanoTime();
        if (nanos > 0) {
          nanos = changed.awaitNanos(nanos);
        }
      }
      return isClosed;
    } catch (InterruptedException e) {
      return true;
    } finally {
      lock.unlock();
    }
  }

  private Duration pause() {
    if (session != null) {
      return CHECK_EVERY;
    }
    Duration pause = failures == 0 ? Duration.ZERO : FIRST_PAUSE;
    for (int i = 1; i < failures && pause.compareTo(MAX_PAUSE) < 0; i++) {
      pause = pause.multipliedBy(2);
    }
    return pause.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : pause;
  }

  private void bind() {
    CentreSession next =
        CentreSession.of(
            new SmppConnections(settings.isTls(), settings.timeout()),
            receiver,
            receiving,
            this::retire);
    try {
      next.setTransactionTimer(MAX_LATE.toMillis());
      next.setEnquireLinkTimer((int) settings.enquireEvery().toMillis());
      next.connectAndBind(
          settings.host(),
          settings.port(),
          new BindParameter(
              BindType.BIND_TRX,
              settings.systemId(),
              settings.password(),
              settings.systemType(),
              TypeOfNumber.UNKNOWN,
              NumberingPlanIndicator.UNKNOWN,
              null),
          settings.timeout().toMillis());
      bound(next);
    } catch (IOException | RuntimeException e) {
      failed(e);
    }
  }

  private void bound(CentreSession next) {
    boolean isLate;
    lock.lock();
    try {
      isLate = isClosed;
      session = isLate ? null : next;
      failure = null;
      sinceNanos = System.nanoTime();
      activityNanos = sinceNanos;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (isLate) {
      next.end(Duration.ZERO, MAX_UNBIND);
      return;
    }
    log.info("Bound to {}", settings);
    next.addSessionStateListener(
        (state, before, source) -> {
          if (state == SessionState.CLOSED) {
            ended(next);
          }
        });
    if (!next.getSessionState().isBound()) {
      // It was lost before the listener could hear of it.
      ended(next);
    }
  }

  private void failed(Exception e) {
    lock.lock();
    try {
      if (failure == null) {
        log.warn(
            "{} cannot be bound, which is tried until it succeeds: {}", settings, e.toString());
      }
      failures++;
      failure = String.valueOf(e.getMessage());
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns true if nothing has come for longer than the answer to an {@code enquire_link} may
   * take. By the clock of the process, because the time stamp of the session is wall time.
   */
  private boolean isSilent(CentreSession known) {
    long nowNanos = System.nanoTime();
    lock.lock();
    try {
      if (known.getLastActivityTimestamp() != activityMillis) {
        activityMillis = known.getLastActivityTimestamp();
        activityNanos = nowNanos;
      }
      Duration max = settings.enquireEvery().plus(settings.timeout()).plus(CHECK_EVERY);
      return nowNanos - activityNanos > max.toNanos();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    @Nullable CentreSession known;
    lock.lock();
    try {
      isClosed = true;
      known = session;
      session = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (known != null) {
      known.end(Duration.ZERO, MAX_UNBIND);
    }
    receiving.shutdown();
  }
}
