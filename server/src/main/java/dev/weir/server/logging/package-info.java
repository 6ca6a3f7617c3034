/** The format of log lines. */
@NullMarked
package dev.weir.server.logging;

import org.jspecify.annotations.NullMarked;
