package dev.weir.spring;

/**
 * A property that cannot be used and whose value is not to be told. Spring Boot's own exception for
 * wrong properties would have the value printed.
 */
final class WrongSecretException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String property;
  private final String reason;

  /**
   * Names the property.
   *
   * @param reason a sentence that does not repeat the value
   */
  WrongSecretException(String property, String reason) {
    super(property + " is invalid: " + reason);
    this.property = property;
    this.reason = reason;
  }

  String property() {
    return property;
  }

  String reason() {
    return reason;
  }
}
