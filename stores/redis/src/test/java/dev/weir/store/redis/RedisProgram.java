package dev.weir.store.redis;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import redis.embedded.core.ExecutableProvider;

/** A program that can be started as a Redis server. */
record RedisProgram(Path executable) {
  private static final RedisProgram OLDEST = embedded();

  /** Redis 6.2, the oldest supported version; it comes with a library. */
  static RedisProgram oldest() {
    return OLDEST;
  }

  /** Debian's Redis, 7 or newer. */
  static RedisProgram installed() {
    return onPath("redis-server").orElseThrow();
  }

  static RedisProgram valkey() {
    return onPath("valkey-server").orElseThrow();
  }

  private static RedisProgram embedded() {
    try {
      return new RedisProgram(ExecutableProvider.newJarResourceProvider().get().toPath());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Optional<RedisProgram> onPath(String name) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Pattern.compile(File.pathSeparator)
        .splitAsStream(path)
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst()
        .map(RedisProgram::new);
  }
}
