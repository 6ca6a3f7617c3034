package dev.weir.store.redis;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Single keys, as other programs read and write them. */
public final class RedisKeys {
  private RedisKeys() {}

  public static long ttlMillis(Redis redis, String key) {
    return send(redis, key, on -> on.pttl(bytes(key)));
  }

  public static void set(Redis redis, String key, String value) {
    var unused = send(redis, key, on -> on.set(bytes(key), bytes(value)));
  }

  /** Returns a field of a hash. */
  public static String field(Redis redis, String key, String name) {
    return new String(
        send(redis, key, on -> on.hget(bytes(key), bytes(name))), StandardCharsets.UTF_8);
  }

  public static void setField(Redis redis, String key, String name, String value) {
    var unused = send(redis, key, on -> on.hset(bytes(key), bytes(name), bytes(value)));
  }

  private static <T> T send(
      Redis redis,
      String key,
      Function<RedisClusterAsyncCommands<byte[], byte[]>, CompletionStage<T>> command) {
    return redis.await(redis.send(bytes(key), command));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
