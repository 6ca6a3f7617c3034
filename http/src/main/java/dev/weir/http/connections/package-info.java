/** Listening sockets and their connections: limits, times, memory and draining. */
@NullMarked
package dev.weir.http.connections;

import org.jspecify.annotations.NullMarked;
