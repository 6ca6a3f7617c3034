package dev.weir.server.oidc;

/** What a token turned out to be. */
public enum Verdict {
  /** The issuer's, for us, in force, and its bearer has the role of administrators. */
  ADMIN,

  /** The issuer's, for us and in force. */
  CALLER,

  /** None of the issuer's for us, or not in force. */
  INVALID,

  /** Nobody can say: the issuer, whose keys it would take, does not answer. */
  UNKNOWN
}
