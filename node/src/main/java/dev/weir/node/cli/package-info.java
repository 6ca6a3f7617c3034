/** What the commands of capabilities share: options, output, and a node in their own process. */
@NullMarked
package dev.weir.node.cli;

import org.jspecify.annotations.NullMarked;
