package dev.weir.http.oidc;

/** The result of verifying a token. */
public sealed interface Verdict {
  /**
   * The token is valid.
   *
   * @param subject the subject of the token
   * @param isAdmin whether the subject has the administrator role
   */
  record Vouched(String subject, boolean isAdmin) implements Verdict {}

  /** The token is expired or not yet valid, has another audience, or is not from the issuer. */
  record Invalid() implements Verdict {}

  /** The token cannot be verified because the issuer does not respond. */
  record Unknown() implements Verdict {}
}
