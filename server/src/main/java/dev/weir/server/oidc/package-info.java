/** Who vouches for callers: an OpenID Connect issuer and its tokens. */
package dev.weir.server.oidc;
