package dev.weir.server.rules;

import dev.weir.server.faults.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Traefik, with the configuration that is there to be copied, asks Weir. Debian has no
 * package, so this runs only where one is on the path; {@code ./weir test} says if there is none.
 */
@EnabledIf("isInstalled")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TraefikIT implements ProxyClaims {
  @TempDir private Path folder;
  private ProxiedService proxied;

  static boolean isInstalled() {
    return Programs.isInstalled("traefik");
  }

  @Override
  public ProxiedService proxied() {
    return proxied;
  }

  /** Its middlewares change requests; they change responses only by constants. */
  @Override
  public boolean passesFieldsOn() {
    return false;
  }

  @BeforeEach
  void start() throws IOException {
    proxied = new ProxiedService(folder);
    startProxy();
  }

  @Override
  public void restartWithStandingClock() throws IOException, InterruptedException {
    proxied.close();
    proxied = ProxiedService.withStandingClock(folder);
    startProxy();
  }

  private void startProxy() throws IOException {
    proxied.behind(
        "traefik.yaml",
        proxied.deployed("traefik.yaml").replace("# Authorization: ", "Authorization: "),
        written ->
            List.of(
                "traefik",
                "--global.checkNewVersion=false",
                "--global.sendAnonymousUsage=false",
                "--entryPoints.web.address=127.0.0.1:" + proxied.port(),
                "--providers.file.filename=" + written));
  }

  @AfterEach
  void stop() throws InterruptedException {
    proxied.close();
  }
}
