package dev.weir.store.redis;

/** Lost answers of the oldest Redis. */
final class LostAnswerTest extends LostAnswers {
  LostAnswerTest() {
    super(RedisProgram.oldest());
  }
}
