/** Starting, keeping up and stopping what a node consists of. */
@NullMarked
package dev.weir.server.lifecycle;

import org.jspecify.annotations.NullMarked;
