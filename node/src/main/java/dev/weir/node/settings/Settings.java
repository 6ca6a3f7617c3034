package dev.weir.node.settings;

import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The effective settings. The command line takes precedence over the environment, then the file,
 * then the defaults; a blank value counts as absent. Reading an invalid setting throws an exception
 * that names it.
 */
public final class Settings {
  private static final String WEB_ADDRESS = "must be an address such as http://host:4318";

  private static final int MIN_SECRET_LENGTH = 16;

  private final Map<Setting, String> values;

  private Settings(Map<Setting, String> values) {
    this.values = values;
  }

  /**
   * Returns the combined settings of these sources.
   *
   * @param known all settings that there are
   * @param file a properties file, if there is one
   */
  public static Settings of(
      List<Setting> known,
      Map<Setting, String> commandLine,
      Map<String, String> environment,
      Optional<Path> file) {
    Map<Setting, String> values = new HashMap<>();
    Map<Setting, String> fromFile = file.map(given -> read(known, given)).orElse(Map.of());
    Map<Setting, String> fromEnvironment = new Environment(known).read(environment);
    for (Setting setting : known) {
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

  private static Map<Setting, String> read(List<Setting> known, Path file) {
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
    Map<Setting, String> values = new HashMap<>();
    for (String key : properties.stringPropertyNames()) {
      Setting setting =
          known.stream()
              .filter(each -> each.key().equals(key))
              .findFirst()
              .orElseThrow(
                  () ->
                      new InvalidSettingException(
                          key, "in %s is not known%s".formatted(file, hint(known, key))));
      values.put(setting, properties.getProperty(key));
    }
    return values;
  }

  /** Returns what an unknown name in a file may mean. */
  private static String hint(List<Setting> known, String key) {
    return OtherSystems.answer(key)
        .map(answer -> ": " + answer + "; './weir settings' lists all")
        .orElseGet(() -> Environment.suggestion(key, known.stream().map(Setting::key)));
  }

  public String text(Setting setting) {
    return values.getOrDefault(setting, setting.defaultValue());
  }

  /** Returns the value of a setting; empty if it is not set. */
  public Optional<String> optional(Setting setting) {
    return Optional.of(text(setting)).filter(value -> !value.isEmpty());
  }

  /** Returns true if the setting has a value other than its default by omission. */
  public boolean isGiven(Setting setting) {
    return values.containsKey(setting);
  }

  public int number(Setting setting, int min, int max) {
    try {
      int number = Integer.parseInt(text(setting));
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw wrong(setting, "must be a whole number");
    }
    throw wrong(setting, "must be from %d to %d".formatted(min, max));
  }

  public boolean flag(Setting setting) {
    return choice(setting, List.of("true", "false")).equals("true");
  }

  public Duration duration(Setting setting, Duration min, Duration max) {
    try {
      Duration duration = Duration.parse(text(setting));
      // Stores count in microseconds.
      if (!duration.equals(duration.truncatedTo(ChronoUnit.MICROS))) {
        throw wrong(setting, "must be a number of whole microseconds");
      }
      if (duration.compareTo(min) >= 0 && duration.compareTo(max) <= 0) {
        return duration;
      }
    } catch (DateTimeException e) {
      throw wrong(setting, "must be a duration such as PT5S");
    }
    throw wrong(setting, "must be from %s to %s".formatted(min, max));
  }

  /**
   * Returns the URL of a web server; errors do not repeat it, because it may contain a password.
   */
  public Optional<URI> webAddress(Setting setting) {
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
  public Optional<String> secret(Setting setting) {
    Optional<String> secret = optional(setting);
    secret.ifPresent(text -> requireLong(setting, text, ""));
    return secret;
  }

  /** Returns the secrets of a comma-separated list. */
  public Set<String> secrets(Setting setting) {
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
  public List<String> list(Setting setting) {
    return Stream.of(text(setting).split(",", -1))
        .map(String::trim)
        .filter(item -> !item.isEmpty())
        .distinct()
        .toList();
  }

  /**
   * Returns a text.
   *
   * @param check returns what is wrong with it; empty if it is valid
   */
  public String text(Setting setting, Function<String, Optional<String>> check) {
    check
        .apply(text(setting))
        .ifPresent(
            problem -> {
              throw wrong(setting, problem);
            });
    return text(setting);
  }

  public String choice(Setting setting, List<String> choices) {
    if (!choices.contains(text(setting))) {
      throw wrong(setting, "must be one of " + choices);
    }
    return text(setting);
  }

  /** Returns how long a node caches what is changed seldom: rules, resources and routes. */
  public Duration cacheTtl() {
    return duration(ServerSetting.LIMITS_CACHE_TTL, Duration.ofMillis(100), Duration.ofDays(1));
  }

  /** Returns an exception that repeats the value, so it must not be used for secrets. */
  private InvalidSettingException wrong(Setting setting, String rule) {
    return new InvalidSettingException(setting.key(), rule + ", not \"" + text(setting) + "\"");
  }
}
