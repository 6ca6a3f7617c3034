/**
 * The command line: {@code weir up} runs a node, the other commands use a running node or read its
 * database. Those of products are in their modules.
 */
@NullMarked
package dev.weir.server.cli;

import org.jspecify.annotations.NullMarked;
