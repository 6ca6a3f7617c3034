/** Turns every error into a problem. */
@NullMarked
package dev.weir.http.errors;

import org.jspecify.annotations.NullMarked;
