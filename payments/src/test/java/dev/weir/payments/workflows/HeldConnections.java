package dev.weir.payments.workflows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Stands between clients and a server like the buffers of a server that is suspended: takes what
 * clients send, and keeps it until it is let go, also for clients that are gone by then.
 */
final class HeldConnections implements AutoCloseable {
  private final ServerSocket listening;
  private final URI server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch isLetGo = new CountDownLatch(1);

  private HeldConnections(ServerSocket listening, URI server) {
    this.listening = listening;
    this.server = server;
  }

  static HeldConnections to(URI server) {
    try {
      HeldConnections held =
          new HeldConnections(new ServerSocket(0, 0, InetAddress.getLoopbackAddress()), server);
      held.threads.execute(held::accept);
      return held;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  URI address() {
    return URI.create(
        "http://%s:%d"
            .formatted(listening.getInetAddress().getHostAddress(), listening.getLocalPort()));
  }

  void letGo() {
    isLetGo.countDown();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        threads.execute(() -> connect(client));
      }
    } catch (IOException e) {
      // It is closed.
    }
  }

  /** The server gets the connection with its first bytes: it closes one that says nothing. */
  private void connect(Socket client) {
    try (client) {
      byte[] first = new byte[8 * 1024];
      int length = client.getInputStream().read(first);
      isLetGo.await();
      if (length > 0) {
        pass(Arrays.copyOf(first, length), client);
      }
    } catch (IOException | ExecutionException e) {
      // One of both is gone.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void pass(byte[] first, Socket client)
      throws IOException, ExecutionException, InterruptedException {
    try (Socket target = new Socket(server.getHost(), server.getPort())) {
      Future<?> answered = threads.submit(() -> answer(target, client));
      target.getOutputStream().write(first);
      client.getInputStream().transferTo(target.getOutputStream());
      target.shutdownOutput();
      // A connection that is closed before could take what was sent with it.
      answered.get();
    }
  }

  private static void answer(Socket target, Socket client) {
    try {
      target.getInputStream().transferTo(client.getOutputStream());
      client.shutdownOutput();
    } catch (IOException e) {
      // One of both is gone.
    }
  }

  @Override
  public void close() throws IOException {
    letGo();
    listening.close();
    threads.shutdownNow();
  }
}
