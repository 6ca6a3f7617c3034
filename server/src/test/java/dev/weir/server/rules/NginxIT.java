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

/** A real nginx, with the configuration that is there to be copied, asks Weir. */
@EnabledIf("isInstalled")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class NginxIT implements OpenProxyClaims {
  @TempDir private Path folder;
  private ProxiedService proxied;

  static boolean isInstalled() {
    return Programs.isInstalled("nginx");
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
    return proxied
        .deployed("nginx.conf")
        .replace("# proxy_set_header Authorization", "proxy_set_header Authorization")
        .replace("http {", "http {\n  access_log off;\n" + temporaryFolders());
  }

  private void start(String config) throws IOException {
    proxied.behind(
        "nginx.conf",
        config,
        written ->
            List.of(
                Programs.find("nginx").orElseThrow().toString(),
                "-p",
                folder.toString(),
                "-c",
                written.toString(),
                "-e",
                "stderr",
                "-g",
                "daemon off; master_process off; pid " + folder.resolve("pid") + ";"));
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

  @AfterEach
  void stop() throws InterruptedException {
    proxied.close();
  }

  private String temporaryFolders() {
    StringBuilder text = new StringBuilder();
    for (String kind : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
      text.append("  %s_temp_path %s/%s;\n".formatted(kind, folder, kind));
    }
    return text.toString();
  }
}
