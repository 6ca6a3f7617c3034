package dev.weir.node.settings;

import java.util.Locale;

/**
 * A setting with its name, default value and description. Each capability has an enum of its own;
 * {@code weir settings} lists them all, which is also the table of {@code docs/operations.md}.
 */
public interface Setting {
  /** All variables start with it, so that those of other programs are not taken for ours. */
  String PREFIX = "WEIR_";

  /**
   * What a setting is.
   *
   * @param key the name in a file
   * @param defaultValue empty if there is none
   * @param description what it does, its unit, and how to turn it off
   */
  record Declaration(String key, String defaultValue, String description) {}

  Declaration declaration();

  default String key() {
    return declaration().key();
  }

  /** Returns the default value; empty if there is none. */
  default String defaultValue() {
    return declaration().defaultValue();
  }

  default String description() {
    return declaration().description();
  }

  /** Returns the name of the environment variable of this setting. */
  default String variable() {
    String name = key().toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    return name.startsWith(PREFIX) ? name : PREFIX + name;
  }
}
