/** Limits on a node: their settings and stores. */
@NullMarked
package dev.weir.server.limits.node;

import org.jspecify.annotations.NullMarked;
