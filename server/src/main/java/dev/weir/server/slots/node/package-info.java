/** Slots on a node: their settings and stores. */
@NullMarked
package dev.weir.server.slots.node;

import org.jspecify.annotations.NullMarked;
