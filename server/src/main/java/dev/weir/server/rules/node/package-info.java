/** Rules on a node: their settings and their store. */
@NullMarked
package dev.weir.server.rules.node;

import org.jspecify.annotations.NullMarked;
