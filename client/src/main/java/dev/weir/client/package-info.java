/**
 * The client of a Weir server: slots, limits, messages and payments over HTTP.
 *
 * <p>Start with {@link dev.weir.client.WeirClient}. Calls block, which suits virtual threads. What
 * a caller has to decide about is a value; the server's other problems and lost answers are {@link
 * dev.weir.client.WeirException}s, which say whether anything may have been done.
 */
@NullMarked
package dev.weir.client;

import org.jspecify.annotations.NullMarked;
