/** Bodies of requests: their size, their compression, and what is wrong with them. */
@NullMarked
package dev.weir.http.bodies;

import org.jspecify.annotations.NullMarked;
