package dev.weir.http.errors;

import dev.weir.StoreException;
import dev.weir.http.bodies.BodyLimitFilter;
import dev.weir.http.bodies.BrokenBodyException;
import dev.weir.http.endpoints.Endpoint;
import dev.weir.http.endpoints.ProblemTitles;
import dev.weir.http.endpoints.Responses;
import dev.weir.http.problems.Problem;
import dev.weir.http.problems.ProblemException;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.exceptions.BufferLengthExceededException;
import io.micronaut.http.exceptions.ContentLengthExceededException;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import io.micronaut.http.server.exceptions.NotAllowedException;
import io.micronaut.http.server.exceptions.response.Error;
import io.micronaut.http.server.exceptions.response.ErrorContext;
import io.micronaut.http.server.exceptions.response.ErrorResponseProcessor;
import io.micronaut.http.server.netty.NettyHttpRequest;
import io.micronaut.web.router.exceptions.UnsatisfiedRouteException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns all errors into responses.
 *
 * <p>Micronaut reports the errors that it detects itself (no route, wrong method or media type, a
 * body over the limit, a request line that the decoder rejects) as an {@link ErrorContext}, and
 * whatever an endpoint or filter throws as an exception. Both are answered with a problem.
 */
@Singleton
final class Problems
    implements ErrorResponseProcessor<byte[]>, ExceptionHandler<Throwable, HttpResponse<?>> {
  private static final Problem INCOMPLETE =
      Problem.of(400, "incomplete-request", "The request ended early.");

  private static final Logger log = LoggerFactory.getLogger(Problems.class);

  private static final Map<Integer, String> KINDS =
      Map.of(
          405, "method-not-allowed",
          406, "not-acceptable",
          413, "too-large",
          415, "unsupported-media-type");

  private final List<NotFoundHint> hints;

  Problems(List<NotFoundHint> hints) {
    this.hints = List.copyOf(hints);
  }

  @Override
  @SuppressWarnings("rawtypes") // The interface uses a raw type.
  public HttpResponse<?> handle(HttpRequest request, Throwable exception) {
    if (exception instanceof ProblemException expected) {
      MutableHttpResponse<byte[]> response = Responses.problem(titled(request, expected.problem()));
      expected.headers().forEach(response::header);
      return response;
    }
    if (exception instanceof StoreException failure) {
      log.error(
          "{} {} failed: {}", request.getMethodName(), request.getPath(), exception.getMessage());
      return Responses.problem(titled(request, Problem.of(failure), "storeUnavailable"))
          .header("Retry-After", "1");
    }
    Problem problem = unexpected(request, exception);
    MutableHttpResponse<byte[]> response = Responses.problem(titled(request, problem));
    return problem.equals(BrokenBodyException.PROBLEM)
        ? response.header(HttpHeaders.CONNECTION, "close")
        : response;
  }

  /** Returns a problem with the title that its endpoint has for invalid requests, if it is one. */
  private static Problem titled(HttpRequest<?> request, Problem problem) {
    return problem.status() == 400 ? titled(request, problem, "invalid") : problem;
  }

  /** Returns a problem with the title that {@link ProblemTitles} of its endpoint names. */
  private static Problem titled(HttpRequest<?> request, Problem problem, String member) {
    return Endpoint.of(request)
        .flatMap(metadata -> metadata.stringValue(ProblemTitles.class, member))
        .map(problem::titled)
        .orElse(problem);
  }

  @Override
  public MutableHttpResponse<byte[]> processResponse(
      ErrorContext context, MutableHttpResponse<?> base) {
    HttpRequest<?> request = context.getRequest();
    Throwable cause = context.getRootCause().orElse(null);
    if (request.getMethod() == HttpMethod.OPTIONS && cause instanceof NotAllowedException) {
      return base.status(HttpStatus.NO_CONTENT).body(null);
    }
    Problem problem = problem(context, base, cause);
    MutableHttpResponse<byte[]> response = Responses.problem(base, titled(request, problem));
    return problem.equals(BrokenBodyException.PROBLEM)
        ? response.header(HttpHeaders.CONNECTION, "close")
        : response;
  }

  private Problem problem(
      ErrorContext context, MutableHttpResponse<?> base, @Nullable Throwable cause) {
    if (context.getRequest() instanceof NettyHttpRequest<?> netty
        && netty.getNativeRequest().decoderResult().isFailure()) {
      return undecodable(netty.getNativeRequest().decoderResult().cause());
    }
    if (cause instanceof BufferLengthExceededException
        || cause instanceof ContentLengthExceededException) {
      return BodyLimitFilter.tooLarge(context.getRequest());
    }
    if (cause instanceof UnsatisfiedRouteException) {
      return Problem.of(400, "malformed-json", "The JSON cannot be read: the body is empty.");
    }
    if (base.code() == 404) {
      return notFound(context.getRequest().getPath());
    }
    if (base.code() >= 500) {
      return unexpected(context.getRequest(), cause);
    }
    String detail =
        context.getErrors().stream().map(Error::getMessage).collect(Collectors.joining("; "));
    return Problem.of(base.code(), KINDS.getOrDefault(base.code(), "bad-request"), detail);
  }

  private Problem notFound(String path) {
    return hints.stream()
        .flatMap(hint -> hint.problem(path).stream())
        .findFirst()
        .orElseGet(() -> Problem.of(404, "not-found", "There is nothing at " + path + "."));
  }

  /**
   * Returns the problem of a request that the decoder rejects. Micronaut answers all of these with
   * 413 or 400.
   */
  private static Problem undecodable(Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return Problem.of(414, "uri-too-long", "The request line is too long.");
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return Problem.of(431, "headers-too-large", "The headers are too large.");
    }
    return Problem.of(400, "bad-request", "The request is not valid HTTP.");
  }

  /**
   * Returns the problem of an unexpected exception, unless the client only sent an incomplete
   * request.
   */
  private static Problem unexpected(HttpRequest<?> request, @Nullable Throwable exception) {
    if (exception != null && isClientGone(exception)) {
      log.debug("{} {}: client gone", request.getMethodName(), request.getPath());
      return INCOMPLETE;
    }
    if (exception != null && BrokenBodyException.isIn(exception)) {
      return BrokenBodyException.PROBLEM;
    }
    String id = UUID.randomUUID().toString();
    log.error("{} {} failed, id {}", request.getMethodName(), request.getPath(), id, exception);
    return Problem.of(500, "unexpected", "Something went wrong; see the log for id " + id + ".");
  }

  private static boolean isClientGone(Throwable exception) {
    if (exception instanceof ClosedChannelException) {
      return true;
    }
    if (!(exception instanceof IOException) || exception.getMessage() == null) {
      return false;
    }
    String message = exception.getMessage().toLowerCase(Locale.ROOT);
    return message.contains("connection closed")
        || message.contains("connection reset")
        || message.contains("broken pipe");
  }
}
