/** Who may call: tokens, keys, roles, and requests that come from other sites. */
@NullMarked
package dev.weir.http.authentication;

import org.jspecify.annotations.NullMarked;
