package dev.weir.server.oidc;

import com.nimbusds.jwt.JWTClaimsSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The roles in a token. No standard defines the claim: {@code roles} (Entra ID, Auth0's usual
 * rule), {@code groups} (Okta, Dex, GitLab), {@code realm_access.roles} (Keycloak), and the words
 * of {@code scope} (RFC 9068).
 */
final class Roles {
  private Roles() {}

  static Set<String> of(JWTClaimsSet claims) {
    Set<String> roles = new HashSet<>();
    for (String claim : List.of("roles", "groups")) {
      add(roles, claims.getClaim(claim));
    }
    if (claims.getClaim("realm_access") instanceof Map<?, ?> realm) {
      add(roles, realm.get("roles"));
    }
    if (claims.getClaim("scope") instanceof String words) {
      roles.addAll(List.of(words.split(" ", -1)));
    }
    return roles;
  }

  /** Adds the roles of a claim, which is a list or a single role. */
  private static void add(Set<String> roles, @Nullable Object claim) {
    if (claim instanceof String role) {
      roles.add(role);
    } else if (claim instanceof Collection<?> several) {
      for (Object each : several) {
        if (each instanceof String role) {
          roles.add(role);
        }
      }
    }
  }
}
