/** JSON, the spelling of times in it, and excerpts of text that are safe to repeat. */
@NullMarked
package dev.weir.http.json;

import org.jspecify.annotations.NullMarked;
