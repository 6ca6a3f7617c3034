package dev.weir.spring.sample;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** A service on Spring MVC that uses Weir only by its properties. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(OrderEndpoints.class)
public class OrderService {
  /** A custom filter, registered as usual: for requests, not for asynchronous dispatches. */
  @Bean
  Filter signature() {
    return new Signature();
  }

  private static final class Signature implements Filter {
    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      ((HttpServletResponse) response).addHeader(OrderEndpoints.SIGNED, "yes");
      chain.doFilter(request, response);
    }
  }
}
