package dev.weir.torture.history;

/**
 * A fault that was inflicted.
 *
 * @param loss what a store lost of what it had counted
 */
public record FaultNote(String name, long beginNanos, long endNanos, Loss loss) {
  /** Returns true if each key of a limit may count as used up since. */
  public boolean mayUseUp() {
    return loss != Loss.NONE && loss != Loss.RESTORED;
  }

  public boolean isRestore() {
    return loss == Loss.RESTORED;
  }

  /** Returns true if what an exchange did may be forgotten. */
  public boolean mayForget(Exchange exchange) {
    return loss.forgets()
        && exchange.endNanos() - (beginNanos - loss.nanosBefore()) >= 0
        && exchange.beginNanos() - (endNanos + loss.nanosAfter()) <= 0;
  }
}
