package dev.weir.spring;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/** Responds to requests whose {@link RateLimitedException} the service does not handle itself. */
final class ServletRefusal implements HandlerExceptionResolver, Ordered {
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
    if (!(failure instanceof RateLimitedException refusal) || response.isCommitted()) {
      return null;
    }
    // Replaces the fields of the rules that let the request pass.
    refusal.admission().fields().forEach(field -> response.setHeader(field.name(), field.value()));
    try {
      ServletGateFilter.write(response, refusal.admission().problem());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ModelAndView();
  }
}
