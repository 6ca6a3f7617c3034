package dev.weir.notifications.provider;

import dev.weir.notifications.MessageParts;
import dev.weir.notifications.messages.Message;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jsmpp.InvalidResponseException;
import org.jsmpp.PDUException;
import org.jsmpp.extra.NegativeResponseException;
import org.jsmpp.extra.ResponseTimeoutException;

/**
 * The submission of a message, part by part, on a thread of its own: the caller waits for a limited
 * time, and an answer that comes later still counts.
 */
final class SmppSubmission {
  private static final ProviderResult ENDED =
      new ProviderResult.Unavailable("the connection is lost", SmppProvider.PAUSE);

  private static final ProviderResult LATE =
      new ProviderResult.Unavailable("the time for it is over", Duration.ZERO);

  /** Submits a part; returns its id, empty if the message centre gives none. */
  @FunctionalInterface
  interface Submit {
    String part(CentreSession session, Message message, MessageParts parts, int part)
        throws PDUException,
            ResponseTimeoutException,
            InvalidResponseException,
            NegativeResponseException,
            IOException;
  }

  /** Says what a status of the message centre means for a message. */
  @FunctionalInterface
  interface Refusal {
    ProviderResult of(CentreSession session, int status);
  }

  private final CentreSession session;
  private final Message message;
  private final MessageParts parts;
  private final long lastNanos;
  private final SubmittedParts submitted;
  private final CompletableFuture<ProviderResult> answer = new CompletableFuture<>();
  private final Thread thread;
  private volatile long partNanos = System.nanoTime();
  private volatile boolean isReplaced;

  /**
   * Creates a submission that is not started.
   *
   * @param lastNanos no part is submitted after this time
   */
  SmppSubmission(
      CentreSession session,
      Message message,
      long lastNanos,
      SubmittedParts submitted,
      Submit submit,
      Refusal refusal,
      Runnable ended) {
    this.session = session;
    this.message = message;
    this.parts = MessageParts.of(message.text());
    this.lastNanos = lastNanos;
    this.submitted = submitted;
    this.thread =
        Thread.ofVirtual()
            .name("weir-smpp-submit")
            .unstarted(
                () -> {
                  try {
                    answer.complete(submitAll(submit, refusal));
                  } finally {
                    ended.run();
                  }
                });
  }

  /** Starts it, and waits as long as each part is answered within {@code timeout}. */
  ProviderResult await(Duration timeout) {
    thread.start();
    try {
      while (true) {
        long partBefore = partNanos;
        try {
          return answer.get(
              partBefore + timeout.toNanos() - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
          if (partNanos == partBefore) {
            return new ProviderResult.Unknown("no response within " + timeout, late());
          }
        }
      }
    } catch (ExecutionException e) {
      return new ProviderResult.Unknown("the submission failed: " + e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new ProviderResult.Unknown("interrupted", late());
    }
  }

  private CompletableFuture<ProviderResult> late() {
    CompletableFuture<ProviderResult> late = new CompletableFuture<>();
    CompletableFuture<Void> unused =
        answer.thenAccept(
            result -> {
              if (!(result instanceof ProviderResult.Unknown)) {
                late.complete(result);
              }
            });
    return late;
  }

  /** Lets it submit no further part, because another submission of the message begins. */
  void replace() {
    isReplaced = true;
  }

  /** Ends the wait if its session was lost: there will be no answer. */
  void lost(CentreSession ended) {
    if (session.equals(ended)) {
      thread.interrupt();
    }
  }

  private ProviderResult submitAll(Submit submit, Refusal refusal) {
    try {
      for (int part = submitted.count(message.id()); part < parts.count(); part++) {
        if (isReplaced) {
          return new ProviderResult.Unknown("another submission goes on");
        }
        if (System.nanoTime() - lastNanos > 0) {
          return LATE;
        }
        if (!session.isOpen()) {
          return ENDED;
        }
        partNanos = System.nanoTime();
        submitted.add(message.id(), submit.part(session, message, parts, part));
      }
      return new ProviderResult.Taken(submitted.remove(message.id()));
    } catch (NegativeResponseException e) {
      ProviderResult result = refusal.of(session, e.getCommandStatus());
      if (result instanceof ProviderResult.Rejected) {
        List<String> unused = submitted.remove(message.id());
      }
      return result;
    } catch (ResponseTimeoutException e) {
      return new ProviderResult.Unknown("no response");
    } catch (InvalidResponseException e) {
      return new ProviderResult.Unknown("invalid response: " + e.getMessage());
    } catch (PDUException | IllegalArgumentException e) {
      return new ProviderResult.Rejected("cannot be submitted: " + e.getMessage());
    } catch (CentreSession.NotSubmittedException e) {
      return ENDED;
    } catch (IOException e) {
      return new ProviderResult.Unknown("the connection was lost: " + e.getMessage());
    }
  }
}
