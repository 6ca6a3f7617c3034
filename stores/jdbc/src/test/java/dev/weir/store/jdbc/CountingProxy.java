package dev.weir.store.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy between driver and server that counts round trips: how often the driver sends after the
 * server has answered everything before. Understands just enough of the protocol.
 *
 * <p>A pool that is opened meanwhile does not validate connections that were unused for a moment,
 * which would be further round trips.
 */
public final class CountingProxy implements AutoCloseable {
  private static final String UNVALIDATED_MILLIS = "com.zaxxer.hikari.aliveBypassWindowMs";

  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final int serverPort;
  private final AtomicInteger turns = new AtomicInteger();

  public CountingProxy(int serverPort) throws IOException {
    this.serverPort = serverPort;
    System.setProperty(UNVALIDATED_MILLIS, Long.toString(Duration.ofHours(1).toMillis()));
    Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  public int turns() {
    return turns.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        Exchange exchange = new Exchange();
        Messages fromClient = new Messages(true, exchange::clientSent);
        Messages fromServer = new Messages(false, exchange::serverSent);
        Thread.ofVirtual().start(() -> pass(client, server, fromClient));
        Thread.ofVirtual().start(() -> pass(server, client, fromServer));
      }
    } catch (IOException e) {
      if (!listener.isClosed()) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static void pass(Socket from, Socket to, Messages messages) {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        for (int i = 0; i < read; i++) {
          messages.next(buffer[i]);
        }
        out.write(buffer, 0, read);
      }
    } catch (IOException closed) {
      // One side has closed; the other is closed too.
    }
  }

  /** What one connection is waiting for. */
  private final class Exchange {
    /** A query "BEGIN": the driver sends it along with what follows and does not wait for it. */
    private static final int BEGIN_LENGTH = 10;

    private int begins;
    private int unanswered;
    private boolean speaking;

    synchronized void clientSent(int type, long length) {
      if (unanswered == 0 && !speaking) {
        turns.incrementAndGet();
        speaking = true;
      }
      if (type == 'Q' && length == BEGIN_LENGTH) {
        begins++;
      } else if (type == 'Q' || type == 'S') {
        // Query and Sync request a response.
        unanswered++;
      }
    }

    synchronized void serverSent(int type, long length) {
      if (type != 'Z') {
        return;
      }
      // ReadyForQuery ends a response.
      if (begins > 0) {
        begins--;
      } else if (unanswered > 0) {
        unanswered--;
        speaking = unanswered > 0;
      }
    }
  }

  /** Receives a message. */
  private interface Listener {
    void sent(int type, long length);
  }

  /** Splits a stream into messages: a type, and a length that includes itself. */
  private static final class Messages {
    private final Listener listener;
    private int type;
    private boolean untyped;
    private int header;
    private long length;
    private long left;

    /**
     * @param beginsUntyped the first message of a client has no type
     */
    Messages(boolean beginsUntyped, Listener listener) {
      this.untyped = beginsUntyped;
      this.listener = listener;
    }

    void next(byte octet) {
      if (left > 0) {
        left--;
      } else if (header == 0 && !untyped) {
        type = octet;
        header = 1;
      } else {
        length = (length << 8) + (octet & 0xff);
        header++;
        if (header == (untyped ? 4 : 5)) {
          if (!untyped) {
            listener.sent(type, length);
          }
          left = length - 4;
          length = 0;
          header = 0;
          untyped = false;
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    System.clearProperty(UNVALIDATED_MILLIS);
    listener.close();
  }
}
