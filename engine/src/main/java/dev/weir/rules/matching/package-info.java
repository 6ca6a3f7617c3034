/** Requests as rules see them: their paths, the patterns of paths, and the parts of keys. */
@NullMarked
package dev.weir.rules.matching;

import org.jspecify.annotations.NullMarked;
