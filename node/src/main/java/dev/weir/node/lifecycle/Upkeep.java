package dev.weir.node.lifecycle;

import dev.weir.TaskLog;
import dev.weir.internal.PeriodicTask;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a periodic task of a node in the background and logs its failures. */
public final class Upkeep {
  private static final Logger log = LoggerFactory.getLogger(Upkeep.class);

  public static final TaskLog LOG = new TaskLog(log::info, log::warn, log::error);

  private Upkeep() {}

  public static PeriodicTask start(String name, Runnable work, Duration interval) {
    return new PeriodicTask(name, work, interval, LOG);
  }
}
