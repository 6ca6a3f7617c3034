/** The format of log lines. */
@NullMarked
package dev.weir.node.logging;

import org.jspecify.annotations.NullMarked;
