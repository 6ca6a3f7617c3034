package dev.weir.http.oidc;

import com.nimbusds.jwt.JWTClaimsSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The claim of a token that contains its roles. No standard defines it: {@code roles} (Entra ID,
 * Auth0's usual rule), {@code groups} (Okta, Dex, GitLab), {@code /realm_access/roles} (Keycloak),
 * and the words of {@code scope} (RFC 9068). Only one of them is read, because users of an issuer
 * may be able to choose the others: the names of their groups, or the scopes that they ask for.
 */
public final class RoleClaim {
  /** Claims whose text is a list of words. */
  private static final Set<String> OF_WORDS = Set.of("scope", "scp");

  private final List<String> path;

  private RoleClaim(List<String> path) {
    this.path = path;
  }

  /**
   * Returns the claim of a name, or of a JSON pointer (RFC 6901) if it begins with a slash.
   *
   * @throws IllegalArgumentException if a name is empty
   */
  public static RoleClaim of(String text) {
    List<String> path =
        text.startsWith("/")
            ? Stream.of(text.substring(1).split("/", -1))
                .map(name -> name.replace("~1", "/").replace("~0", "~"))
                .toList()
            : List.of(text);
    if (path.contains("")) {
      throw new IllegalArgumentException("must not have an empty name");
    }
    return new RoleClaim(path);
  }

  /** Returns the roles: a list of texts, or a single one. */
  Set<String> roles(JWTClaimsSet claims) {
    Object value = claims.getClaims();
    for (String name : path) {
      value = value instanceof Map<?, ?> object ? object.get(name) : null;
    }
    return roles(value);
  }

  private Set<String> roles(@Nullable Object value) {
    if (value instanceof String text) {
      return path.size() == 1 && OF_WORDS.contains(path.getFirst())
          ? Stream.of(text.split(" ", -1)).collect(Collectors.toSet())
          : Set.of(text);
    }
    return value instanceof Collection<?> several
        ? several.stream()
            .filter(String.class::isInstance)
            .map(String.class::cast)
            .collect(Collectors.toSet())
        : Set.of();
  }
}
