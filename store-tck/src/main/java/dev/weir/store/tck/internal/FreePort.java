package dev.weir.store.tck.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A port of loopback for a server in another process.
 *
 * <p>It lies below the range from which the system takes the ports of connections. In that range, a
 * client that tries again and again until the server listens can be given the server's port and be
 * connected with itself; the server then finds its port in use.
 *
 * <p>A port is found once. Until this process ends, no other one finds it, even if its server has
 * not started yet or is down.
 */
public final class FreePort {
  private static final int FROM = 20_000;
  private static final int TO = 32_000;

  /** Has a file for each port, which the process that has found the port locks. */
  private static final Path FOLDER =
      Path.of(
          System.getProperty("java.io.tmpdir"), "weir-ports-" + System.getProperty("user.name"));

  private static final Map<Integer, FileLock> FOUND = new HashMap<>();

  private FreePort() {}

  public static synchronized int find() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FROM, TO);
      if (!FOUND.containsKey(port) && isLocked(port) && isFree(port)) {
        return port;
      }
    }
  }

  /** Locks the file of a port; returns false if another process has done so. */
  private static boolean isLocked(int port) {
    try {
      Files.createDirectories(FOLDER);
      FileChannel file =
          FileChannel.open(
              FOLDER.resolve(Integer.toString(port)),
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE);
      @Nullable FileLock lock = file.tryLock();
      if (lock == null) {
        file.close();
        return false;
      }
      FOUND.put(port, lock);
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort() == port;
    } catch (IOException e) {
      return false;
    }
  }
}
