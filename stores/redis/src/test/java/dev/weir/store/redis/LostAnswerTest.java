package dev.weir.store.redis;

/** Lost responses of the oldest supported Redis. */
final class LostAnswerTest extends LostAnswers {
  LostAnswerTest() {
    super(RedisProgram.oldest());
  }
}
