/**
 * The checker: proves from the database, and from a journal of answers, that what must always hold
 * of slots does hold.
 *
 * <p>A second opinion: it knows where places lie and when a calendar is open, and nothing else of
 * what gave the slots. Start with {@link dev.weir.server.verify.Verifier}.
 */
package dev.weir.server.verify;
