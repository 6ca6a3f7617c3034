package dev.weir.server.notifications;

import dev.weir.server.faults.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeContainer;
import net.jqwik.api.lifecycle.LifecycleContext;
import net.jqwik.api.lifecycle.SkipExecutionHook;

/**
 * The properties of the specification, numbered as there, over HTTP on real stores and a real
 * broker, which are started once for all of them.
 */
@AddLifecycleHook(NotificationLawsIT.NeedsRedis.class)
final class NotificationLawsIT
    implements ConfigurationLaws, CountingLaws, BrokerLaws, TopicLaws, HotStateLaws {
  private static Path folder;
  private static NotificationStage stage;

  @BeforeContainer
  static void start() throws IOException {
    folder = Files.createTempDirectory("notifications");
    stage = NotificationStage.start(folder);
  }

  @AfterContainer
  static void stop() throws IOException {
    try {
      // If it could not be started, that failure is reported.
      if (stage != null) {
        stage.close();
      }
    } finally {
      try (Stream<Path> files = Files.walk(folder)) {
        files.sorted(Comparator.reverseOrder()).forEach(NotificationLawsIT::delete);
      }
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterProperty
  void restore() {
    stage.restore();
  }

  @Override
  public NotificationStage stage() {
    return stage;
  }

  /** Skips all of them where Redis is not installed. */
  static final class NeedsRedis implements SkipExecutionHook {
    @Override
    public SkipResult shouldBeSkipped(LifecycleContext context) {
      return RedisProcess.isInstalled()
          ? SkipResult.doNotSkip()
          : SkipResult.skip("redis-server is not installed");
    }
  }
}
