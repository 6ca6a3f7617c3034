package dev.weir.server.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A way to a port of loopback that can be cut, while others still reach the port itself. */
public final class Relay implements AutoCloseable {
  private static final int BUFFER_BYTES = 8192;

  private final ServerSocket entrance;
  private final int target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Set<Socket> silent = ConcurrentHashMap.newKeySet();
  private volatile boolean isCut;

  public Relay(int target) throws IOException {
    this.target = target;
    this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return entrance.getLocalPort();
  }

  /** Hangs up on all, and on those who come. */
  public void cut() {
    isCut = true;
    open.forEach(Relay::hangUp);
  }

  /** Drops what passes through connections that are open, without closing them. */
  public void silence() {
    silent.addAll(open);
  }

  public void mend() {
    isCut = false;
  }

  private void accept() {
    while (!entrance.isClosed()) {
      try {
        Socket from = entrance.accept();
        open.add(from);
        if (isCut) {
          hangUp(from);
          continue;
        }
        Socket to = new Socket(InetAddress.getLoopbackAddress(), target);
        open.add(to);
        Thread.ofVirtual().start(() -> pass(from, to));
        Thread.ofVirtual().start(() -> pass(to, from));
      } catch (IOException e) {
        // The target is gone, or this is closed: the client is disconnected.
        open.forEach(Relay::hangUp);
      }
    }
  }

  private void pass(Socket from, Socket to) {
    try {
      byte[] bytes = new byte[BUFFER_BYTES];
      for (int read = from.getInputStream().read(bytes);
          read >= 0;
          read = from.getInputStream().read(bytes)) {
        if (!silent.contains(from)) {
          to.getOutputStream().write(bytes, 0, read);
        }
      }
    } catch (IOException e) {
      // Either end may hang up at any time.
    } finally {
      hangUp(from);
      hangUp(to);
      open.remove(from);
      open.remove(to);
      silent.remove(from);
      silent.remove(to);
    }
  }

  private static void hangUp(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    entrance.close();
    cut();
  }
}
