package dev.weir.http.authentication;

/** Who can reach a listener, and therefore what it may answer without a credential. */
public enum Exposure {
  /** Only programs on this machine: what has no credential configured is open. */
  LOOPBACK,

  /** Other machines: everything needs a credential. */
  NETWORK,

  /**
   * Other machines, and the operator has allowed clients without a credential. Administration still
   * needs one.
   */
  NETWORK_WITH_ANONYMOUS_CLIENTS;

  /**
   * Returns the exposure of a listener.
   *
   * @param isLoopback whether it is bound to a loopback address
   * @param allowsAnonymous whether clients without a credential are allowed on other addresses
   */
  public static Exposure of(boolean isLoopback, boolean allowsAnonymous) {
    if (isLoopback) {
      return LOOPBACK;
    }
    return allowsAnonymous ? NETWORK_WITH_ANONYMOUS_CLIENTS : NETWORK;
  }
}
