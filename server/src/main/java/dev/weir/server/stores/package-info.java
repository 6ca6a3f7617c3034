/** The database and the other stores of a node. */
@NullMarked
package dev.weir.server.stores;

import org.jspecify.annotations.NullMarked;
