package dev.weir.notifications.provider;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jsmpp.bean.BindType;
import org.jsmpp.bean.NumberingPlanIndicator;
import org.jsmpp.bean.TypeOfNumber;
import org.jsmpp.extra.SessionState;
import org.jsmpp.session.BindParameter;
import org.jsmpp.session.MessageReceiverListener;
import org.jsmpp.session.SMPPSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bind to a message centre, kept also while there is nothing to send, because receipts come by
 * it. It is made again after it was lost, with growing pauses, and given up if the message centre
 * does not answer to {@code enquire_link}. Thread-safe.
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

  private final SmppSettings settings;
  private final MessageReceiverListener receiver;
  private final Consumer<SMPPSession> lost;
  private final Thread thread;

  // The rest is guarded by the lock.
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private @Nullable SMPPSession session;
  private @Nullable String failure;
  private int failures;
  private boolean isClosed;
  private long activityMillis;
  private long activityNanos;

  /**
   * Begins to bind.
   *
   * @param lost is told about sessions that have ended
   */
  SmppBind(SmppSettings settings, MessageReceiverListener receiver, Consumer<SMPPSession> lost) {
    this.settings = settings;
    this.receiver = receiver;
    this.lost = lost;
    this.thread = Thread.ofPlatform().daemon().name("weir-smpp").unstarted(this::run);
    thread.start();
  }

  /**
   * Returns the session, and waits for the first one, or the next, up to the time-out.
   *
   * @throws IOException if there is none
   */
  SMPPSession await() throws IOException {
    long nanos = settings.timeout().toNanos();
    lock.lock();
    try {
      while (true) {
        if (session != null && session.getSessionState().isBound()) {
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
  void discard(SMPPSession ended) {
    ended.close();
    ended(ended);
  }

  private void ended(SMPPSession ended) {
    lock.lock();
    try {
      if (ended.equals(session)) {
        session = null;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
    lost.accept(ended);
  }

  private void run() {
    while (true) {
      @Nullable SMPPSession known = known();
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

  private @Nullable SMPPSession known() {
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
      long nanos = (session == null ? pause(failures) : CHECK_EVERY).toNanos();
      boolean isBound = session != null;
      while (!isClosed && nanos > 0 && isBound == (session != null)) {
        nanos = changed.awaitNanos(nanos);
      }
      return isClosed;
    } catch (InterruptedException e) {
      return true;
    } finally {
      lock.unlock();
    }
  }

  private static Duration pause(int failures) {
    Duration pause = FIRST_PAUSE;
    for (int i = 1; i < failures && pause.compareTo(MAX_PAUSE) < 0; i++) {
      pause = pause.multipliedBy(2);
    }
    return pause.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : pause;
  }

  private void bind() {
    SMPPSession next = new SMPPSession(new SmppConnections(settings.isTls(), settings.timeout()));
    try {
      next.setTransactionTimer(MAX_LATE.toMillis());
      next.setEnquireLinkTimer((int) settings.enquireEvery().toMillis());
      next.setMessageReceiverListener(receiver);
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

  private void bound(SMPPSession next) {
    boolean isLate;
    lock.lock();
    try {
      isLate = isClosed;
      session = isLate ? null : next;
      failure = null;
      failures = 0;
      activityNanos = System.nanoTime();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (isLate) {
      unbind(next);
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
      if (failures == 0) {
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
  private boolean isSilent(SMPPSession known) {
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

  private void unbind(SMPPSession ended) {
    ended.setTransactionTimer(MAX_UNBIND.toMillis());
    ended.unbindAndClose();
  }

  @Override
  public void close() {
    @Nullable SMPPSession known;
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
      unbind(known);
    }
  }
}
