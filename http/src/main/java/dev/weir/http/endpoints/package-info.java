/** What endpoints declare about themselves, and how they answer. */
@NullMarked
package dev.weir.http.endpoints;

import org.jspecify.annotations.NullMarked;
