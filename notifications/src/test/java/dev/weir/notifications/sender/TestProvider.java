package dev.weir.notifications.sender;

import dev.weir.notifications.messages.Message;
import dev.weir.notifications.provider.ProviderResult;
import dev.weir.notifications.provider.SmsProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Answers as a test wants, and keeps what it was handed, in order. */
final class TestProvider implements SmsProvider {
  private final Function<Message, ProviderResult> answers;
  private final Duration maxAnswerTime;
  private final List<Message> handed = new ArrayList<>();
  private final List<Message> taken = new ArrayList<>();
  private volatile boolean keepsParts;

  TestProvider(Function<Message, ProviderResult> answers) {
    this(answers, Duration.ZERO);
  }

  private TestProvider(Function<Message, ProviderResult> answers, Duration maxAnswerTime) {
    this.answers = answers;
    this.maxAnswerTime = maxAnswerTime;
  }

  /** Returns a provider that takes everything, and may need some time for it. */
  static TestProvider taking(Duration maxAnswerTime) {
    return new TestProvider(message -> ProviderResult.Taken.WITHOUT_ID, maxAnswerTime);
  }

  /** Returns a provider that takes everything. */
  static TestProvider taking() {
    return new TestProvider(message -> ProviderResult.Taken.WITHOUT_ID);
  }

  @Override
  public String name() {
    return "test";
  }

  @Override
  public Duration maxAnswerTime() {
    return maxAnswerTime;
  }

  /** Says that a message is submitted in part, as long as the provider has not taken it. */
  void keepParts() {
    keepsParts = true;
  }

  @Override
  public synchronized boolean hasPartOf(UUID message) {
    return keepsParts
        && handed.stream().anyMatch(each -> each.id().equals(message))
        && taken.stream().noneMatch(each -> each.id().equals(message));
  }

  @Override
  public ProviderResult send(Message message) {
    synchronized (this) {
      handed.add(message);
    }
    ProviderResult result = answers.apply(message);
    synchronized (this) {
      if (result instanceof ProviderResult.Taken) {
        taken.add(message);
        notifyAll();
      }
    }
    return result;
  }

  synchronized List<Message> handed() {
    return List.copyOf(handed);
  }

  synchronized List<Message> taken() {
    return List.copyOf(taken);
  }

  /** Waits until the given number of messages was taken. */
  synchronized void awaitTaken(int count) {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (taken.size() < count) {
      long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (millis <= 0) {
        throw new AssertionError("%d messages were taken, not %d".formatted(taken.size(), count));
      }
      try {
        wait(millis);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  static void await(CountDownLatch latch) {
    try {
      if (!latch.await(2, TimeUnit.MINUTES)) {
        throw new AssertionError("nothing happened in 2 minutes");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
