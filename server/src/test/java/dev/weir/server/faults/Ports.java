package dev.weir.server.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers that come and go. Below those that the system gives to callers, so that nobody
 * takes one while its server is down, and none twice, because a server may listen much later.
 */
public final class Ports {
  private static final int LOWEST = 15_000;
  private static final int HIGHEST = 32_000;
  private static final int MAX_TRIES = 1_000;
  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private Ports() {}

  public static int free() throws IOException {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      try (ServerSocket socket = new ServerSocket()) {
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        if (GIVEN.add(port)) {
          return port;
        }
      } catch (IOException e) {
        if (tries == MAX_TRIES - 1) {
          throw e;
        }
      }
    }
    throw new IOException("no port is free");
  }
}
