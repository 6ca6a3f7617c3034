package dev.weir.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;

/** What {@code ./weir up} suggests to try. */
final class GreetingTest {
  private static final URI ADDRESS = URI.create("http://127.0.0.1:8080");

  @Test
  void suggestsToPayAFeed() {
    assertThat(UpCommand.greeting(ADDRESS, true))
        .contains(
            """
            Pay a feed:       ./weir payments simulate feed.csv --payments 100
                              ./weir payments run feed.csv --url http://127.0.0.1:8080
            Try the API:      http://127.0.0.1:8080/docs
            """)
        .contains("'Content-Type: application/json' \\\n");
  }

  @Test
  void doesNotSuggestToPayAFeedToANodeThatRefusesThem() {
    assertThat(UpCommand.greeting(ADDRESS, false))
        .doesNotContain("payments run")
        .contains("weir.payments.downstream");
  }
}
