package dev.weir.server.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.slots.SlotPolicy;
import dev.weir.slots.SlotScheduler;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is left of a stream whose client leaves. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LineStreamTest {
  /**
   * The database was slow: as many portions as there may be are under way, none has been sent, and
   * the next is being read.
   */
  @Test
  void nothingIsLeftOfAStreamThatEndsWhileItIsReadAndAllAnswersWait() throws Exception {
    try (SlotScheduler scheduler = SlotScheduler.inMemory()) {
      scheduler.configure("default", SlotPolicy.of(10, Duration.ofSeconds(4)));
      ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
      Body body = new Body(LineStream.MAX_UNDER_WAY);
      LineStream stream =
          new LineStream(body, () -> new AssignLines(scheduler, "default"), threads);
      body.isWaiting.await();

      stream.close();

      threads.shutdown();
      assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).as("no thread is left").isTrue();
    }
  }

  /** A body as Micronaut passes it on: a read that is interrupted fails, and nothing is marked. */
  private static final class Body extends InputStream {
    final CountDownLatch isWaiting = new CountDownLatch(1);
    private final int lines;
    private int sent;

    Body(int lines) {
      this.lines = lines;
    }

    @Override
    public int read() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (sent < lines) {
        sent++;
        byte[] line = "{\"eventId\":\"e%d\"}\n".formatted(sent).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(line, 0, bytes, offset, line.length);
        return line.length;
      }
      isWaiting.countDown();
      try {
        new CountDownLatch(1).await();
        return -1;
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
    }
  }
}
