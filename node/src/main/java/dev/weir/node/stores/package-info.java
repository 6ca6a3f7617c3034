/** The database and the other stores of a node. */
@NullMarked
package dev.weir.node.stores;

import org.jspecify.annotations.NullMarked;
