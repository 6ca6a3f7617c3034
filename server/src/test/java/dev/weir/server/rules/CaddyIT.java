package dev.weir.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.faults.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Caddy, with the configuration that is there to be copied, asks Weir. {@code ./weir test}
 * fetches Debian's, or says that it could not.
 */
@EnabledIf("isInstalled")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CaddyIT implements OpenProxyClaims {
  @TempDir private Path folder;
  private ProxiedService proxied;

  static boolean isInstalled() {
    return Programs.isInstalled("caddy");
  }

  @Override
  public ProxiedService proxied() {
    return proxied;
  }

  @BeforeEach
  void start() throws IOException {
    proxied = new ProxiedService(folder);
    start(config());
  }

  private String config() throws IOException {
    return "{\n\tadmin off\n}\n"
        + proxied
            .deployed("Caddyfile")
            .replace(":8079", ":" + proxied.spare())
            .replace(":8000 {", "http://:" + proxied.port() + " {\n\tbind 127.0.0.1")
            .replace("# header_up Authorization", "header_up Authorization");
  }

  private void start(String config) throws IOException {
    proxied.behind(
        "Caddyfile",
        config,
        written ->
            List.of("caddy", "run", "--adapter", "caddyfile", "--config", written.toString()));
  }

  @Override
  public void restartWithStandingClock() throws IOException, InterruptedException {
    proxied.close();
    proxied = ProxiedService.withStandingClock(folder);
    start(config());
  }

  @Override
  public void restartOpen() throws IOException, InterruptedException {
    proxied.close();
    proxied = new ProxiedService(folder);
    start(config().replace("# open: ", ""));
  }

  /** Whatever a client makes the proxy send, a 200 of another endpoint of Weir is not a grant. */
  @Test
  void onlyTheAnswerOfAuthorizeGrants() throws Exception {
    proxied.close();
    proxied = new ProxiedService(folder);
    start(config().replace("/api/v1/authorize?headers=forwarded", "/health/ready"));
    assertThat(proxied.front().get("/free").status()).isEqualTo(502);
    assertThat(proxied.served()).isEmpty();
  }

  @AfterEach
  void stop() throws InterruptedException {
    proxied.close();
  }
}
