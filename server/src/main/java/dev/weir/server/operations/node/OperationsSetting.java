package dev.weir.server.operations.node;

import dev.weir.node.settings.Setting;

/** The settings of what operators read. */
public enum OperationsSetting implements Setting {
  METRICS_ALSO_AT(
      "weir.metrics.also-at",
      "",
      "Second path of the metrics on weir.port, such as /q/metrics, where a monitoring system expects"
          + " them. Empty means /metrics only.");

  @SuppressWarnings("ImmutableEnumChecker") // a record of texts
  private final Declaration declaration;

  OperationsSetting(String key, String defaultValue, String description) {
    this.declaration = new Declaration(key, defaultValue, description);
  }

  @Override
  public Declaration declaration() {
    return declaration;
  }
}
