/**
 * The verifier: proves from the database, and from a journal of answers, that the invariants of
 * slots hold.
 *
 * <p>A second opinion: it knows where places lie and when a calendar is open, and nothing else of
 * what assigned the slots. Start with {@link dev.weir.server.verify.Verifier}.
 */
@NullMarked
package dev.weir.server.verify;

import org.jspecify.annotations.NullMarked;
