package dev.weir.store.tck.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A relay between a store and its server on loopback that loses responses, to compare what the
 * store reports with what the server did. Thread-safe.
 */
public final class LossyRelay implements AutoCloseable {
  private final ServerSocket listener;
  private final int serverPort;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable String> marked = new AtomicReference<>();
  private final AtomicInteger lost = new AtomicInteger();
  private volatile @Nullable String alwaysMarked;
  private volatile boolean isCut;

  public LossyRelay(int serverPort) throws IOException {
    this.serverPort = serverPort;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  /**
   * Loses the response to the next message that contains this text: the server receives the
   * message, and the connection is cut when it responds.
   */
  public void loseAnswerTo(String text) {
    marked.set(text);
  }

  /** Loses the responses to all messages that contain this text, from now on. */
  public void loseAnswersTo(String text) {
    alwaysMarked = text;
  }

  /** Returns how many responses were lost. */
  public int lost() {
    return lost.get();
  }

  /** Cuts all connections, and those that are opened until {@link #mend}. */
  public void cut() throws IOException {
    isCut = true;
    for (Socket socket : open) {
      socket.close();
    }
  }

  /** Passes everything on again. */
  public void mend() {
    isCut = false;
  }

  /** Cuts all connections and refuses new ones from now on. */
  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket();
        server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort));
        open.add(client);
        open.add(server);
        if (listener.isClosed() || isCut) {
          // It was accepted at the moment of the close or the cut, which may not have seen it.
          client.close();
          server.close();
          open.remove(client);
          open.remove(server);
          continue;
        }
        Exchange exchange = new Exchange();
        Thread.ofVirtual().start(() -> pass(client, server, exchange::requested));
        Thread.ofVirtual().start(() -> pass(server, client, exchange::answered));
      }
    } catch (IOException e) {
      if (!listener.isClosed()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Inspects traffic; returns false if the connection is to be cut instead. */
  private interface Watch {
    boolean passes(byte[] bytes, int length);
  }

  private void pass(Socket from, Socket to, Watch watch) {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!watch.passes(buffer, read)) {
          lost.incrementAndGet();
          return;
        }
        out.write(buffer, 0, read);
      }
    } catch (IOException closed) {
      // One side has closed, and try-with-resources closes the other.
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  /** One connection. */
  private final class Exchange {
    /** The end of the previous message: a text may arrive in two parts. */
    private String before = "";

    private volatile boolean isMarked;

    boolean requested(byte[] bytes, int length) {
      String text = marked.get();
      String message = before + new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
      if (text != null && isFoundIn(message, text) && marked.compareAndSet(text, null)) {
        isMarked = true;
      }
      String always = alwaysMarked;
      if (always != null && isFoundIn(message, always)) {
        isMarked = true;
      }
      before = message.substring(Math.max(0, message.length() - 256));
      return true;
    }

    /** Returns true if at least the end of the text is new: an earlier message may contain it. */
    private boolean isFoundIn(String message, String text) {
      return message.indexOf(text, Math.max(0, before.length() - text.length() + 1)) >= 0;
    }

    boolean answered(byte[] bytes, int length) {
      return !isMarked;
    }
  }
}
