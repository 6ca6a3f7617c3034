package dev.weir.store.jdbc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * A relay to a port on loopback that accepts connections and sends nothing. After {@link #speak},
 * it relays new connections; the earlier ones stay silent.
 */
final class SilentRelay implements AutoCloseable {
  private final ServerSocket entrance;
  private final int target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final CountDownLatch called = new CountDownLatch(1);
  private volatile boolean isSilent = true;

  SilentRelay(int target) throws IOException {
    this.target = target;
    this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return entrance.getLocalPort();
  }

  /** Waits for the first connection that it keeps waiting. */
  void awaitCaller() throws InterruptedException {
    called.await();
  }

  void speak() {
    isSilent = false;
  }

  private void accept() {
    try {
      while (true) {
        Socket from = entrance.accept();
        open.add(from);
        if (!isSilent) {
          Socket to = new Socket(InetAddress.getLoopbackAddress(), target);
          open.add(to);
          if (entrance.isClosed()) {
            // It was accepted at the moment of the close, which may not have seen it.
            from.close();
            to.close();
            return;
          }
          Thread.ofVirtual().start(() -> pass(from, to));
          Thread.ofVirtual().start(() -> pass(to, from));
        }
        called.countDown();
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private static void pass(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // Either end may close the connection at any time.
    }
  }

  @Override
  public void close() throws IOException {
    entrance.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
