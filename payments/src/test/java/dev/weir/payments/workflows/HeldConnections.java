package dev.weir.payments.workflows;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
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

  private void connect(Socket client) {
    try (client;
        Socket target = new Socket(server.getHost(), server.getPort())) {
      Future<?> answered = threads.submit(() -> answer(target, client));
      pass(client.getInputStream(), target.getOutputStream());
      target.shutdownOutput();
      // A connection that is closed before could take what was sent with it.
      answered.get();
    } catch (IOException | ExecutionException e) {
      // One of both is gone.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void pass(InputStream in, OutputStream out) throws IOException, InterruptedException {
    byte[] bytes = new byte[8 * 1024];
    for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
      isLetGo.await();
      out.write(bytes, 0, length);
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
