package dev.weir.server.notifications;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The entries of users in Redis, read and moved in time by scripts of the tests. */
final class RedisEntries {
  /** Moves an entry in time. */
  private static final String MOVE =
      """
      if redis.call('EXISTS', KEYS[1]) == 0 then return 'missing' end
      redis.call('HINCRBY', KEYS[1], 'endsAt', ARGV[1])
      redis.call('HINCRBY', KEYS[1], 'confirmedAt', ARGV[1])
      return 'moved'
      """;

  /**
   * Lets an entry be trusted as if the database had confirmed it now, however late the next message
   * comes: the time since then is not a number, so it is not too long.
   */
  private static final String CONFIRM =
      """
      if redis.call('EXISTS', KEYS[1]) == 0 then return 'missing' end
      redis.call('HSET', KEYS[1], 'confirmedAt', 'nan')
      return redis.call('HGET', KEYS[1], 'currentCount')
      """;

  private static final String READ =
      """
      local all = redis.call('HMGET', KEYS[1], 'rateLimit', 'currentCount', 'revision')
      for i = 1, 3 do all[i] = all[i] or '-' end
      return table.concat(all, ' ')
      """;

  private final int port;

  RedisEntries(int port) {
    this.port = port;
  }

  /** Returns true if the entry was moved, false if there is none. */
  boolean move(long userId, Duration time) {
    String micros = Long.toString(-time.toNanos() / 1_000);
    return ask("EVAL", MOVE, "1", key(userId), micros).equals("moved");
  }

  /** Confirms an entry and returns its count; "missing" if there is none. */
  String confirm(long userId) {
    return ask("EVAL", CONFIRM, "1", key(userId));
  }

  /** Returns limit, count and revision of an entry. */
  String read(long userId) {
    return ask("EVAL", READ, "1", key(userId));
  }

  void remove(long userId) {
    String unused = ask("DEL", key(userId));
  }

  void removeAll() {
    String unused = ask("FLUSHALL");
  }

  private static String key(long userId) {
    return "RateLimiterCache:{" + userId + "}";
  }

  /** Sends a command and returns its answer, which is one line. */
  private String ask(String... words) {
    StringBuilder command = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      command.append("$" + word.length() + "\r\n" + word + "\r\n");
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
      OutputStream out = socket.getOutputStream();
      out.write(command.toString().getBytes(StandardCharsets.US_ASCII));
      String head = String.valueOf(in.readLine());
      if (head.startsWith("-")) {
        throw new AssertionError("Redis answered " + head);
      }
      return head.startsWith("$") ? String.valueOf(in.readLine()) : head.substring(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
