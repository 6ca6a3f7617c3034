package dev.weir.notifications.provider;

import java.time.Duration;

/**
 * How to reach a message centre by SMPP.
 *
 * @param systemId the name by which this system binds
 * @param systemType empty if the message centre does not ask for it
 * @param sourceAddress the sender that recipients see
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
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
  public static final Duration DEFAULT_ENQUIRE_EVERY = Duration.ofSeconds(30);

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
