/** Starting, keeping up and stopping what a node consists of. */
@NullMarked
package dev.weir.node.lifecycle;

import org.jspecify.annotations.NullMarked;
