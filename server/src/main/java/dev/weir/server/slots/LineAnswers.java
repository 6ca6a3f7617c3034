package dev.weir.server.slots;

import dev.weir.http.bodies.BrokenBodyException;
import dev.weir.http.endpoints.MediaTypes;
import dev.weir.http.problems.Problem;
import io.micronaut.http.HttpResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;

/**
 * The responses of a stream that has begun. If the rest of its body is broken, the last line is a
 * problem and the connection is closed, so that the responses do not look complete.
 */
final class LineAnswers {
  private static final Logger log = LoggerFactory.getLogger(LineAnswers.class);

  private final LineStream stream;
  private final Optional<byte[]> first;
  private boolean isBegun;
  private @Nullable IOException broken;

  private LineAnswers(LineStream stream, Optional<byte[]> first) {
    this.stream = stream;
    this.first = first;
  }

  /**
   * Answers a stream. Responses are generated when the connection demands them, on a virtual
   * thread, which applies back-pressure.
   */
  static HttpResponse<Publisher<byte[]>> to(LineStream stream, ExecutorService virtualThreads)
      throws IOException {
    // The status waits for the first responses: a body that is broken from its start is a 400.
    LineAnswers sending = new LineAnswers(stream, first(stream));
    Flux<byte[]> answers =
        Flux.generate(
            () -> sending,
            (state, sink) -> {
              state.emitNext(sink);
              return state;
            },
            LineAnswers::close);
    return HttpResponse.<Publisher<byte[]>>ok(
            answers.subscribeOn(Schedulers.fromExecutor(virtualThreads)))
        .contentType(MediaTypes.NDJSON);
  }

  private static Optional<byte[]> first(LineStream stream) throws IOException {
    boolean isBegun = false;
    try {
      Optional<byte[]> first = stream.next();
      isBegun = true;
      return first;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("stopped before the first answer");
    } finally {
      if (!isBegun) {
        stream.close();
      }
    }
  }

  private void emitNext(SynchronousSink<byte[]> sink) {
    if (broken != null) {
      sink.error(broken);
      return;
    }
    try {
      Optional<byte[]> next = isBegun ? stream.next() : first;
      isBegun = true;
      next.ifPresentOrElse(sink::next, sink::complete);
    } catch (IOException e) {
      log.debug("A stream broke off: {}", e.getMessage());
      if (BrokenBodyException.isIn(e)) {
        broken = e;
        sink.next(line(BrokenBodyException.PROBLEM));
      } else {
        sink.error(e);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      sink.error(e);
    }
  }

  private static byte[] line(Problem problem) {
    byte[] json = problem.toJson();
    byte[] line = Arrays.copyOf(json, json.length + 1);
    line[json.length] = '\n';
    return line;
  }

  private void close() {
    try {
      stream.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
