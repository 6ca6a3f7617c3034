package dev.weir.store.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** An open connection to a Redis, or to the nodes of a Cluster. */
sealed interface RedisLine {
  /** The commands, once they can reach whoever has this key. */
  CompletionStage<? extends RedisClusterAsyncCommands<byte[], byte[]>> to(byte[] key);

  /** Fails what is under way. */
  void close();

  /** To one Redis. */
  record ToOne(StatefulRedisConnection<byte[], byte[]> connection) implements RedisLine {
    @Override
    public CompletionStage<? extends RedisClusterAsyncCommands<byte[], byte[]>> to(byte[] key) {
      return CompletableFuture.completedFuture(connection.async());
    }

    @Override
    public void close() {
      var unused = connection.closeAsync();
    }
  }

  /** To a Cluster, whose nodes are each connected when they are first wanted. */
  record ToCluster(StatefulRedisClusterConnection<byte[], byte[]> connection) implements RedisLine {
    /** Lettuce rejects what is sent to a node that is not connected yet, hence the wait. */
    @Override
    public CompletionStage<? extends RedisClusterAsyncCommands<byte[], byte[]>> to(byte[] key) {
      RedisClusterNode node = connection.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
      if (node == null) {
        return CompletableFuture.completedFuture(connection.async());
      }
      return connection
          .getConnectionAsync(node.getUri().getHost(), node.getUri().getPort())
          .thenApply(connected -> connection.async());
    }

    @Override
    public void close() {
      var unused = connection.closeAsync();
    }
  }
}
