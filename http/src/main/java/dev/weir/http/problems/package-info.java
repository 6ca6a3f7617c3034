/** What a caller is told that is refused, as defined by RFC 9457. */
@NullMarked
package dev.weir.http.problems;

import org.jspecify.annotations.NullMarked;
