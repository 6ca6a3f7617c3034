package dev.weir.server.faults;

import dev.weir.store.jdbc.internal.Timeouts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Requests that race for rows of a database: on a busy machine, the holder of a lock may be paused
 * for longer than others wait for it, and they are answered that nothing was done.
 */
public final class LockWait {
  private static final String UNAVAILABLE = "\"type\":\"urn:weir:problem:store-unavailable\"";
  private static final String NOTHING_DONE = "\"outcome\":\"none\"";

  private LockWait() {}

  /** A request. */
  public interface Request<A> {
    A send() throws IOException, InterruptedException;
  }

  /** Returns true if the text of an answer says that the store is unavailable. */
  public static boolean isUnavailable(String text) {
    return text.contains(UNAVAILABLE) && text.contains(NOTHING_DONE);
  }

  /**
   * Sends a request again as long as it has waited in vain for a lock. One that is refused earlier,
   * as after a deadlock, is not repeated.
   *
   * @param isUnavailable true for an answer that {@link #isUnavailable(String)}
   */
  public static <A> A answer(Request<A> request, Predicate<A> isUnavailable) {
    List<A> answers = new ArrayList<>();
    Waiting.until(
        "a lock",
        () -> {
          long beginNanos = System.nanoTime();
          answers.add(request.send());
          return System.nanoTime() - beginNanos < Timeouts.LOCK.toNanos()
              || !isUnavailable.test(answers.getLast());
        });
    return answers.getLast();
  }
}
