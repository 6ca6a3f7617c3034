package dev.weir.store.redis;

/** Lost responses of Debian's Redis. */
@RequiresProgram("redis-server")
final class InstalledLostAnswerTest extends LostAnswers {
  InstalledLostAnswerTest() {
    super(RedisProgram.installed());
  }
}
