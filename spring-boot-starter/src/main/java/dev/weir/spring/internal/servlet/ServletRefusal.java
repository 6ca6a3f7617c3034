package dev.weir.spring.internal.servlet;

import dev.weir.spring.RateLimitedException;
import dev.weir.spring.internal.gate.RefusedCallException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/** Responds to requests whose {@link RateLimitedException} the service does not handle itself. */
public final class ServletRefusal implements HandlerExceptionResolver, Ordered {
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception failure) {
    // A response that has begun cannot be replaced; the container aborts it, so that the client
    // does not take it for complete.
    RefusedCallException refusal = RefusedCallException.in(failure);
    if (refusal == null || response.isCommitted()) {
      return null;
    }
    try {
      ProblemResponse.replace(response, refusal.admission());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ModelAndView();
  }
}
