package dev.weir.store.redis;

import dev.weir.StoreException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scripts of other libraries on a connection of this one, for what may be lost: no marker notices
 * that Redis has lost it. Thread-safe.
 */
public final class RedisScripts {
  private final Redis redis;

  private RedisScripts(Redis redis) {
    this.redis = redis;
  }

  public static RedisScripts on(Redis redis) {
    return new RedisScripts(redis);
  }

  /**
   * A call of a script.
   *
   * @param keys at least one; on a Cluster, all of them in one slot
   */
  public record Call(Script script, List<byte[]> keys, List<byte[]> arguments) {
    public Call {
      keys = List.copyOf(keys);
      arguments = List.copyOf(arguments);
    }
  }

  /**
   * Sends all calls together and waits for all of them, so that none is left behind. Returns their
   * replies, in their order.
   *
   * @throws StoreException the first failure, if any call has failed
   */
  public List<byte[]> run(List<Call> calls) {
    List<RedisCall<byte[]>> sent = new ArrayList<>(calls.size());
    for (Call call : calls) {
      sent.add(
          redis.run(
              call.script(),
              call.keys().toArray(byte[][]::new),
              call.arguments().toArray(byte[][]::new)));
    }
    long deadlineNanos = redis.deadlineNanos();
    List<byte[]> replies = new ArrayList<>(sent.size());
    @Nullable StoreException failure = null;
    for (RedisCall<byte[]> call : sent) {
      try {
        replies.add(redis.await(call, deadlineNanos));
      } catch (StoreException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return replies;
  }

  /** Removes a key and what it has. */
  public void delete(byte[] key) {
    var unused = redis.await(redis.send(key, commands -> commands.del(key)));
  }

  /** Returns true if the keys of a call have to be in one slot. */
  public boolean isCluster() {
    return redis.isCluster();
  }

  /** Returns what the names of all keys begin with. */
  public String prefix() {
    return redis.settings().prefix();
  }
}
