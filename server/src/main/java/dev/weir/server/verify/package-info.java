/**
 * The verifier: proves from the database, and from a journal of responses, that the invariants of
 * slots hold.
 *
 * <p>It is an independent check: of the code that assigns slots it uses only the positions of
 * places and the hours of calendars. Start with {@link dev.weir.server.verify.Verifier}.
 */
@NullMarked
package dev.weir.server.verify;

import org.jspecify.annotations.NullMarked;
