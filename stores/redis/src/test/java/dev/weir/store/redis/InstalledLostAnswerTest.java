package dev.weir.store.redis;

/** Lost answers of Debian's Redis. */
final class InstalledLostAnswerTest extends LostAnswers {
  InstalledLostAnswerTest() {
    super(RedisProgram.installed());
  }
}
