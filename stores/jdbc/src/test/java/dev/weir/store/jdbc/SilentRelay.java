package dev.weir.store.jdbc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * A way to a port of loopback that accepts connections and says nothing. Once it {@link #speak}s,
 * it passes on those that come then; the earlier ones stay silent.
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

  /** Waits for the first that it keeps waiting. */
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
      // Either end may hang up at any time.
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
