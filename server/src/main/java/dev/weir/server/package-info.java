/** The program: one jar that runs a node and talks to one. */
@NullMarked
package dev.weir.server;

import org.jspecify.annotations.NullMarked;
