/** What a part of the server brings: the one way by which a capability enters a node. */
@NullMarked
package dev.weir.node.capability;

import org.jspecify.annotations.NullMarked;
