package dev.weir.spring.autoconfigure;

/**
 * Thrown if a property or variable cannot be used and its value must stay secret. Spring Boot's own
 * exception for invalid properties would print the value.
 */
final class WrongSecretException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String property;
  private final String reason;

  /**
   * Creates an exception that names the property.
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
