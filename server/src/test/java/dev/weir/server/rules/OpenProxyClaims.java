package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.RawHttp;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Claims about a proxy that can be configured to let requests pass while Weir is unavailable. */
interface OpenProxyClaims extends ProxyClaims {
  /** Starts the service and its proxy anew, with the lines marked "open". */
  void restartOpen() throws IOException, InterruptedException;

  @Test
  default void withoutWeirEverythingPassesIfOpen() throws Exception {
    restartOpen();
    proxied().rule("'allowedRequests':1");
    assertThat(proxied().front().get("/api/orders").status()).isEqualTo(200);
    assertThat(proxied().front().get("/api/orders").status()).isEqualTo(429);
    proxied().stopWeir();
    assertThat(proxied().front().post("/api/orders", "body").status()).isEqualTo(200);
    assertThat(proxied().served()).containsExactly("GET /api/orders", "POST /api/orders body");
  }

  /**
   * An error of Weir is a decision: only rules that fail open themselves let requests pass then.
   */
  @Test
  default void whatWeirCannotDecideDoesNotPassIfOpen() throws Exception {
    restartOpen();
    proxied().rule("'allowedRequests':1");
    proxied().fillStore();
    for (int i = 0; i < 3; i++) {
      assertThat(proxied().front().get("/api/orders").status()).isBetween(500, 504);
    }
    assertThat(proxied().served()).isEmpty();
    assertThat(proxied().front().get("/free").status()).isEqualTo(200);
    assertThat(proxied().served()).containsExactly("GET /free");
  }

  /** A client can neither provoke such an error nor make the proxy believe that Weir is gone. */
  @Test
  default void requestsThatWeirDoesNotReadDoNotPassIfOpen() throws Exception {
    restartOpen();
    proxied().rule("'allowedRequests':1");
    assertThat(proxied().front().get("/api/orders").status()).isEqualTo(200);
    proxied().served().clear();
    for (int bytes : new int[] {7_000, 20_000, 100_000, 600_000}) {
      StringBuilder headers = new StringBuilder();
      for (int i = 0; headers.length() < bytes; i++) {
        headers.append("X-").append(i).append(": ").append("x".repeat(3_500)).append("\r\n");
      }
      assertThat(
              RawHttp.exchange(
                  proxied().address(),
                  "GET /api/orders HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n"
                      + headers
                      + "\r\n"))
          .as("%d bytes", bytes)
          .doesNotStartWith("HTTP/1.1 200 ");
      assertThat(proxied().front().get("/api/orders").status()).isEqualTo(429);
    }
    assertThat(proxied().served()).isEmpty();
  }
}
