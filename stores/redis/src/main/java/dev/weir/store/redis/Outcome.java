package dev.weir.store.redis;

import dev.weir.engine.StoreException;
import dev.weir.engine.limits.Answer;

/** What became of one call among those that went together. */
sealed interface Outcome {
  /** Throws if there is none. */
  Answer answer();

  record Answered(Answer answer) implements Outcome {}

  record Failed(StoreException failure) implements Outcome {
    @Override
    public Answer answer() {
      // A stack trace of the caller, with the shared failure as its cause.
      throw new StoreException(String.valueOf(failure.getMessage()), failure);
    }
  }
}
