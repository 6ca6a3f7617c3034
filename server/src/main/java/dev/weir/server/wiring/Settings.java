package dev.weir.server.wiring;

import dev.weir.internal.SlotNames;
import dev.weir.server.logging.OneLog;
import dev.weir.server.wiring.postgresql.FileProblem;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The effective settings. The command line takes precedence over the environment, then the file,
 * then the defaults; a blank value counts as absent. Reading an invalid setting throws an exception
 * that names it.
 */
public final class Settings {
  private static final String WEB_ADDRESS = "must be an address such as http://host:4318";

  private static final int MIN_SECRET_LENGTH = 16;

  /** The system property of the access log's level, read by the logging configuration. */
  private static final String ACCESS_LEVEL = "weir.access.level";

  private final Map<Setting, String> values;

  private Settings(Map<Setting, String> values) {
    this.values = values;
  }

  /**
   * Returns the combined settings of these sources.
   *
   * @param file a properties file, if there is one
   */
  public static Settings of(
      Map<Setting, String> commandLine, Map<String, String> environment, Optional<Path> file) {
    Map<Setting, String> values = new EnumMap<>(Setting.class);
    Map<Setting, String> fromFile = file.map(Settings::read).orElse(Map.of());
    Map<Setting, String> fromEnvironment = Environment.read(environment);
    for (Setting setting : Setting.values()) {
      Stream.of(
              commandLine.getOrDefault(setting, ""),
              fromEnvironment.getOrDefault(setting, ""),
              fromFile.getOrDefault(setting, ""))
          .filter(value -> !value.isBlank())
          .findFirst()
          .ifPresent(value -> values.put(setting, value.trim()));
    }
    return new Settings(values);
  }

  private static Map<Setting, String> read(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new InvalidSettingException(
          "the settings file " + file, "cannot be read: " + FileProblem.text(e));
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          "the settings file " + file, "cannot be read: " + e.getMessage());
    }
    Map<Setting, String> values = new EnumMap<>(Setting.class);
    for (String key : properties.stringPropertyNames()) {
      Setting setting =
          Stream.of(Setting.values())
              .filter(known -> known.key().equals(key))
              .findFirst()
              .orElseThrow(
                  () ->
                      new InvalidSettingException(
                          key,
                          "in %s is not known%s"
                              .formatted(
                                  file,
                                  Environment.suggestion(
                                      key, Stream.of(Setting.values()).map(Setting::key)))));
      values.put(setting, properties.getProperty(key));
    }
    return values;
  }

  /** Configures logging. Must be called before the first line is logged. */
  public void setUpLogging() {
    System.setProperty(
        Setting.LOG_FORMAT.key(), choice(Setting.LOG_FORMAT, List.of("text", "json")));
    System.setProperty(
        Setting.LOG_LEVEL.key(),
        choice(Setting.LOG_LEVEL, List.of("error", "warn", "info", "debug", "trace")));
    if (flag(Setting.GATEWAY_ACCESS_LOG)) {
      System.setProperty(ACCESS_LEVEL, "debug");
    }
    OneLog.install();
  }

  String text(Setting setting) {
    return values.getOrDefault(setting, setting.defaultValue());
  }

  /** Returns the value of a setting; empty if it is not set. */
  Optional<String> optional(Setting setting) {
    return Optional.of(text(setting)).filter(value -> !value.isEmpty());
  }

  /** Returns true if the setting has a value other than its default by omission. */
  boolean isGiven(Setting setting) {
    return values.containsKey(setting);
  }

  int number(Setting setting, int least, int most) {
    try {
      int number = Integer.parseInt(text(setting));
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw wrong(setting, "must be a whole number");
    }
    throw wrong(setting, "must be from %d to %d".formatted(least, most));
  }

  boolean flag(Setting setting) {
    return choice(setting, List.of("true", "false")).equals("true");
  }

  Duration duration(Setting setting, Duration least, Duration most) {
    try {
      Duration duration = Duration.parse(text(setting));
      // Stores count in microseconds.
      if (!duration.equals(duration.truncatedTo(ChronoUnit.MICROS))) {
        throw wrong(setting, "must be a number of whole microseconds");
      }
      if (duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0) {
        return duration;
      }
    } catch (DateTimeException e) {
      throw wrong(setting, "must be a duration such as PT5S");
    }
    throw wrong(setting, "must be from %s to %s".formatted(least, most));
  }

  /**
   * Returns the URL of a web server; errors do not repeat it, because it may contain a password.
   */
  Optional<URI> webAddress(Setting setting) {
    return optional(setting)
        .map(
            text -> {
              try {
                URI uri = new URI(text);
                String scheme = uri.getScheme();
                if (("http".equals(scheme) || "https".equals(scheme)) && uri.getHost() != null) {
                  return uri;
                }
              } catch (URISyntaxException e) {
                throw new InvalidSettingException(setting.key(), WEB_ADDRESS);
              }
              throw new InvalidSettingException(setting.key(), WEB_ADDRESS);
            });
  }

  /** Returns a secret; empty if it is not set. Errors do not repeat it. */
  Optional<String> secret(Setting setting) {
    Optional<String> secret = optional(setting);
    secret.ifPresent(text -> requireLong(setting, text, ""));
    return secret;
  }

  /** Returns the secrets of a comma-separated list. */
  Set<String> secrets(Setting setting) {
    List<String> secrets = list(setting);
    secrets.forEach(text -> requireLong(setting, text, " each"));
    return Set.copyOf(secrets);
  }

  private static void requireLong(Setting setting, String secret, String each) {
    if (secret.length() < MIN_SECRET_LENGTH) {
      throw new InvalidSettingException(
          setting.key(),
          "must have at least %d characters%s; 'openssl rand -hex 16' makes a good one"
              .formatted(MIN_SECRET_LENGTH, each));
    }
  }

  /** Returns the values of a comma-separated list. */
  List<String> list(Setting setting) {
    return Stream.of(text(setting).split(",", -1))
        .map(String::trim)
        .filter(item -> !item.isEmpty())
        .distinct()
        .toList();
  }

  /** Returns the name of a configuration, validated. */
  String configName(Setting setting) {
    SlotNames.configNameProblem(text(setting))
        .ifPresent(
            problem -> {
              throw wrong(setting, problem);
            });
    return text(setting);
  }

  String choice(Setting setting, List<String> choices) {
    if (!choices.contains(text(setting))) {
      throw wrong(setting, "must be one of " + choices);
    }
    return text(setting);
  }

  /** Returns an exception that repeats the value, so it must not be used for secrets. */
  private InvalidSettingException wrong(Setting setting, String rule) {
    return new InvalidSettingException(setting.key(), rule + ", not \"" + text(setting) + "\"");
  }
}
