/** Opens the endpoints of operators on a node. */
@NullMarked
package dev.weir.server.operations.node;

import org.jspecify.annotations.NullMarked;
