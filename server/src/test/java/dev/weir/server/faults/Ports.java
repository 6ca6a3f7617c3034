package dev.weir.server.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
 * Ports for servers that come and go. Below those that the system gives to callers, so that nobody
 * takes one while its server is down, and none twice, because a server may listen much later: until
 * this process ends, it is given by no other one either.
 *
 * <p>Torture has these classes without the kits of the stores, whose {@code FreePort} gives the
 * ports above them.
 */
public final class Ports {
  private static final int FROM = 15_000;
  private static final int TO = 20_000;
  private static final int MAX_TRIES = 10_000;

  /** Has a file for each port, which the process that gives the port locks. */
  private static final Path FOLDER =
      Path.of(
          System.getProperty("java.io.tmpdir"), "weir-ports-" + System.getProperty("user.name"));

  private static final Map<Integer, FileLock> GIVEN = new HashMap<>();

  private Ports() {}

  public static synchronized int free() throws IOException {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      int port = ThreadLocalRandom.current().nextInt(FROM, TO);
      if (!GIVEN.containsKey(port) && isLocked(port) && isFree(port)) {
        return port;
      }
    }
    throw new IOException("no port is free");
  }

  /** Locks the file of a port; returns false if another process has done so. */
  private static boolean isLocked(int port) throws IOException {
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
    GIVEN.put(port, lock);
    return true;
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
