package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.store.tck.internal.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

/**
 * The libraries as others get them: a project outside of this build compiles and runs the programs
 * of the README with what {@code ./weir install} puts into the local repository, and nothing else
 * of ours.
 */
final class OutsideProjectIT {
  @TempDir private static Path folder;

  private static OutsideProject project;
  private static RedisServer redis;
  private static EmbeddedPostgres postgresql;
  private static String[] stores;

  @BeforeAll
  static void compile() throws IOException, InterruptedException {
    Path repository = folder.resolve("repository");
    InstalledLibraries.install(repository, property("weir.test.repository"));
    project = OutsideProject.write(folder.resolve("project"));
    project.compile(property("weir.test.maven"), repository);
    int port = FreePort.find();
    redis = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
    redis.start();
    postgresql = EmbeddedPostgres.builder().start();
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
    InstalledLibraries.unlink(folder.resolve("repository"));
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

  private static Path property(String name) {
    String value = System.getProperty(name);
    assertThat(value).as(name + ", which the pom of this module sets").isNotNull();
    return Path.of(value);
  }
}
