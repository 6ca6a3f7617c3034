/** The command line: {@code weir up} runs a node, the others talk to one. */
package dev.weir.server.cli;
