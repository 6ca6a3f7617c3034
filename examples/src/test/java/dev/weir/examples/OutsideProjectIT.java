package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.store.tck.internal.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

/**
 * The libraries as others get them: a project outside of this build compiles and runs the programs
 * of the README with what {@code ./weir install} has put into a local repository, and nothing else
 * of ours. {@code ./weir test} runs that command first and names the repository.
 */
@EnabledIfSystemProperty(
    named = "weir.test.installed",
    matches = ".+",
    disabledReason = "needs the repository of ./weir install, which ./weir test names at its end")
final class OutsideProjectIT {
  @TempDir private static Path folder;

  private static OutsideProject project;
  private static RedisServer redis;
  private static EmbeddedPostgres postgresql;
  private static String[] stores;

  @BeforeAll
  static void compile() throws IOException, InterruptedException {
    project = OutsideProject.write(folder.resolve("project"));
    project.compile(property("weir.test.maven"), property("weir.test.installed"));
    int port = FreePort.find();
    redis = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
    redis.start();
    postgresql = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(5)).start();
    stores =
        new String[] {"redis://127.0.0.1:" + port, postgresql.getJdbcUrl("postgres", "postgres")};
  }

  @AfterAll
  static void stop() throws IOException {
    if (redis != null) {
      redis.stop();
    }
    if (postgresql != null) {
      postgresql.close();
    }
  }

  @Test
  void itsProgramsRunOnTheClassPathAndAsAModule() throws IOException, InterruptedException {
    List<String> lines = project.runOnTheClassPath(stores);
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0)).isEqualTo("served, 99 left");
    assertThat(lines.get(1)).matches("pay-1 at .*Z");
    assertThat(lines.get(2)).isEqualTo("served, 99 left");
    assertThat(lines.get(3)).matches("pay-1 at .*Z");

    List<String> asModule = project.runAsAModule(stores);
    assertThat(asModule).hasSize(4);
    assertThat(asModule.get(0)).isEqualTo("served, 99 left");
    assertThat(asModule.get(1)).matches("pay-1 at .*Z");
    // The bucket is refilled with one unit in 100 ms.
    assertThat(asModule.get(2)).matches("served, 9[89] left");
    assertThat(asModule.get(3)).as("the slot of the same event").isEqualTo(lines.get(3));
  }

  @Test
  void itCompilesWithGradle() throws IOException, InterruptedException {
    assumeTrue(OutsideProject.canUseGradle(), "there is no Gradle on the PATH");
    project.compileWithGradle(property("weir.test.installed"));
  }

  private static Path property(String name) {
    String value = System.getProperty(name);
    assertThat(value).as(name + ", which the pom of this module sets").isNotNull();
    return Path.of(value);
  }
}
