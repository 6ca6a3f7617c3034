package dev.weir.store.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisKeyAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** An open connection to a Redis server, or to the nodes of a Cluster. */
sealed interface RedisConnection {
  /** Returns the commands, once the server that owns this key is connected. */
  CompletionStage<? extends RedisClusterAsyncCommands<byte[], byte[]>> to(byte[] key);

  /** Returns the commands of each server that owns keys. */
  List<CompletionStage<? extends RedisKeyAsyncCommands<byte[], byte[]>>> masters();

  /** Closes the connection; commands in flight fail. */
  void close();

  /** A connection to a single server. */
  record ToOne(StatefulRedisConnection<byte[], byte[]> connection) implements RedisConnection {
    @Override
    public CompletionStage<? extends RedisClusterAsyncCommands<byte[], byte[]>> to(byte[] key) {
      return CompletableFuture.completedFuture(connection.async());
    }

    @Override
    public List<CompletionStage<? extends RedisKeyAsyncCommands<byte[], byte[]>>> masters() {
      return List.of(CompletableFuture.completedFuture(connection.async()));
    }

    @Override
    public void close() {
      var unused = connection.closeAsync();
    }
  }

  /** A connection to a Cluster, each of whose nodes is connected on first use. */
  record ToCluster(StatefulRedisClusterConnection<byte[], byte[]> connection)
      implements RedisConnection {
    /** Waits for the connection, because Lettuce rejects commands to an unconnected node. */
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
    public List<CompletionStage<? extends RedisKeyAsyncCommands<byte[], byte[]>>> masters() {
      List<CompletionStage<? extends RedisKeyAsyncCommands<byte[], byte[]>>> masters =
          new ArrayList<>();
      for (RedisClusterNode node : connection.getPartitions()) {
        if (!node.getSlots().isEmpty()) {
          masters.add(
              connection
                  .getConnectionAsync(node.getUri().getHost(), node.getUri().getPort())
                  .thenApply(StatefulRedisConnection::async));
        }
      }
      return masters;
    }

    @Override
    public void close() {
      var unused = connection.closeAsync();
    }
  }
}
