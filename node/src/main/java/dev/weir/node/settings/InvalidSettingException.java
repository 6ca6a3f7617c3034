package dev.weir.node.settings;

/** Thrown if a setting cannot be used. Its message is one line that names the setting. */
public final class InvalidSettingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InvalidSettingException(String setting, String problem) {
    super(setting + " " + problem);
  }
}
