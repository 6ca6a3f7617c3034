/** A sender of messages without the rest of a node: a program of its own on the same parts. */
@NullMarked
package dev.weir.server.sender;

import org.jspecify.annotations.NullMarked;
