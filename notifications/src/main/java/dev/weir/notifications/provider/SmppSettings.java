package dev.weir.notifications.provider;

import java.time.Duration;

/**
 * How to reach a message centre by SMPP.
 *
 * @param systemId the name by which this system binds, up to {@link #MAX_SYSTEM_ID} characters
 * @param password up to {@link #MAX_PASSWORD} characters
 * @param systemType empty if the message centre does not ask for it; up to {@link #MAX_SYSTEM_TYPE}
 *     characters
 * @param sourceAddress the sender that recipients see, up to {@link #MAX_ADDRESS} characters
 * @param timeout maximum time until the response to a request, and until the bind
 * @param enquireEvery how often an idle connection is checked
 */
public record SmppSettings(
    String host,
    int port,
    boolean isTls,
    String systemId,
    String password,
    String systemType,
    String sourceAddress,
    Duration timeout,
    Duration enquireEvery) {
  // The lengths of SMPP 3.4, without the byte that ends each.
  public static final int MAX_SYSTEM_ID = 15;
  public static final int MAX_PASSWORD = 8;
  public static final int MAX_SYSTEM_TYPE = 12;
  public static final int MAX_ADDRESS = 20;

  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
  public static final Duration DEFAULT_ENQUIRE_EVERY = Duration.ofSeconds(30);

  public SmppSettings {
    // jSMPP would write the whole password to the log, with each bind.
    requireLength("systemId", systemId, MAX_SYSTEM_ID);
    requireLength("password", password, MAX_PASSWORD);
    requireLength("systemType", systemType, MAX_SYSTEM_TYPE);
    requireLength("sourceAddress", sourceAddress, MAX_ADDRESS);
  }

  private static void requireLength(String field, String text, int max) {
    if (text.length() > max) {
      throw new IllegalArgumentException(
          "%s must have up to %d characters, not %d".formatted(field, max, text.length()));
    }
  }

  /** Returns settings without TLS, with the default times. */
  public static SmppSettings of(
      String host, int port, String systemId, String password, String sourceAddress) {
    return new SmppSettings(
        host,
        port,
        false,
        systemId,
        password,
        "",
        sourceAddress,
        DEFAULT_TIMEOUT,
        DEFAULT_ENQUIRE_EVERY);
  }

  /** Does not contain the password. */
  @Override
  public String toString() {
    return "SMPP %s@%s:%d".formatted(systemId, host, port);
  }
}
