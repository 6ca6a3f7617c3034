package dev.weir.server.oidc;

/** What a token is worth. */
public sealed interface Verdict {
  /**
   * The issuer vouches for its bearer.
   *
   * @param subject who that is
   * @param isAdmin whether it has the role of administrators
   */
  record Vouched(String subject, boolean isAdmin) implements Verdict {}

  /** It is not in force, not for us, or not the issuer's. */
  record Invalid() implements Verdict {}

  /** Nobody knows: the issuer does not answer. */
  record Unknown() implements Verdict {}
}
