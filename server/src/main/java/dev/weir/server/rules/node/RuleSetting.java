package dev.weir.server.rules.node;

import dev.weir.node.settings.Setting;

/** The settings of rules. */
public enum RuleSetting implements Setting {
  REQUEST_TTL(
      "weir.limits.request-ttl",
      "PT10M",
      "How long a request id is remembered, so that a repeated request is not counted twice."
          + " ISO-8601 duration.");

  @SuppressWarnings("ImmutableEnumChecker") // a record of texts
  private final Declaration declaration;

  RuleSetting(String key, String defaultValue, String description) {
    this.declaration = new Declaration(key, defaultValue, description);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
