/** How the log is written. */
package dev.weir.server.logging;
