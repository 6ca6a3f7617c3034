/** The gateway on a node: its settings, its routes and its port. */
@NullMarked
package dev.weir.server.gateway.node;

import org.jspecify.annotations.NullMarked;
