package dev.weir.node.logging;

import dev.weir.node.settings.ServerSetting;
import dev.weir.node.settings.Settings;
import java.util.List;

/** The settings of the log. */
public final class LogSettings {
  /** The system property of the access log's level, read by the logging configuration. */
  private static final String ACCESS_LEVEL = "weir.access.level";

  private LogSettings() {}

  /** Configures logging. Must be called before the first line is logged. */
  public static void apply(Settings settings) {
    System.setProperty(
        ServerSetting.LOG_FORMAT.key(),
        settings.choice(ServerSetting.LOG_FORMAT, List.of("text", "json")));
    System.setProperty(
        ServerSetting.LOG_LEVEL.key(),
        settings.choice(
            ServerSetting.LOG_LEVEL, List.of("error", "warn", "info", "debug", "trace")));
    if (settings.flag(ServerSetting.GATEWAY_ACCESS_LOG)) {
      System.setProperty(ACCESS_LEVEL, "debug");
    }
    OneLog.install();
  }
}
