package dev.weir.spring.sample;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.server.WebFilter;

/** The same service on WebFlux. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(OrderEndpoints.class)
public class ReactiveOrderService {
  @Bean
  WebFilter signature() {
    return (exchange, chain) -> {
      exchange.getResponse().getHeaders().add(OrderEndpoints.SIGNED, "yes");
      return chain.filter(exchange);
    };
  }
}
