/** The dashboard on a node. */
@NullMarked
package dev.weir.server.dashboard.node;

import org.jspecify.annotations.NullMarked;
