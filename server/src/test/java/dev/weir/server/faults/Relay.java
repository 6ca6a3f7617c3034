package dev.weir.server.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A way to a port of loopback that can be cut, slowed down or made to lose what passes, while
 * others still reach the port itself. Thread-safe.
 */
public final class Relay implements AutoCloseable {
  private static final int BUFFER_BYTES = 8192;

  private final ServerSocket entrance;
  private volatile int target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  /** Nothing that comes from these goes on. A stream that has lost bytes is of no use any more. */
  private final Set<Socket> silent = ConcurrentHashMap.newKeySet();

  private volatile boolean isCut;
  private volatile boolean losesReplies;
  private volatile long delayNanos;

  public Relay(int target) throws IOException {
    this.target = target;
    this.entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return entrance.getLocalPort();
  }

  /** Leads to another port from now on, and hangs up on all. */
  public void switchTo(int otherTarget) {
    target = otherTarget;
    open.forEach(Relay::hangUp);
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

  /** Hands over what is sent, and drops all that is replied, until it is mended. */
  public void swallowReplies() {
    losesReplies = true;
  }

  /** Holds back each piece of up to 8 KiB for a time, in both directions. */
  public void delay(Duration time) {
    delayNanos = time.toNanos();
  }

  /** Passes everything on again; connections that have lost something are closed. */
  public void mend() {
    isCut = false;
    losesReplies = false;
    delayNanos = 0;
    silent.forEach(Relay::hangUp);
  }

  private void accept() {
    while (!entrance.isClosed()) {
      try {
        Socket from = entrance.accept();
        open.add(from);
        Thread.ofVirtual().start(() -> connect(from));
      } catch (IOException e) {
        // This is closed.
        open.forEach(Relay::hangUp);
      }
    }
  }

  private void connect(Socket from) {
    try {
      if (isCut) {
        forget(from);
        return;
      }
      Socket to = new Socket(InetAddress.getLoopbackAddress(), target);
      open.add(to);
      // A cut that came meanwhile has not seen it.
      if (isCut) {
        forget(from);
        forget(to);
        return;
      }
      Thread.ofVirtual().start(() -> pass(from, to, false));
      pass(to, from, true);
    } catch (IOException e) {
      // The target is gone.
      forget(from);
    }
  }

  private void pass(Socket from, Socket to, boolean isReply) {
    try {
      byte[] bytes = new byte[BUFFER_BYTES];
      for (int read = from.getInputStream().read(bytes);
          read >= 0;
          read = from.getInputStream().read(bytes)) {
        if (delayNanos > 0) {
          LockSupport.parkNanos(delayNanos);
        }
        if (isReply && losesReplies) {
          silent.add(from);
          if (!losesReplies) {
            // It was mended meanwhile, which has not seen that this connection has lost something.
            return;
          }
        }
        if (!silent.contains(from)) {
          to.getOutputStream().write(bytes, 0, read);
        }
      }
    } catch (IOException e) {
      // Either end may hang up at any time.
    } finally {
      forget(from);
      forget(to);
    }
  }

  private void forget(Socket socket) {
    hangUp(socket);
    open.remove(socket);
    silent.remove(socket);
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
