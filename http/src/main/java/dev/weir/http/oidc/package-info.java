/** Verification of tokens of an OpenID Connect issuer: their signatures, claims and roles. */
@NullMarked
package dev.weir.http.oidc;

import org.jspecify.annotations.NullMarked;
