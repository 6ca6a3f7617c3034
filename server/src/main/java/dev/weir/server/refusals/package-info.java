/** What callers are told that a limit or a lease refuses, in every capability that asks them. */
@NullMarked
package dev.weir.server.refusals;

import org.jspecify.annotations.NullMarked;
