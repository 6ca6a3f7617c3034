/** What a part of the server brings: the one way by which a capability enters a node. */
@NullMarked
package dev.weir.server.capability;

import org.jspecify.annotations.NullMarked;
