/**
 * What rules say to requests: which of them cover one, by what it is counted, and whether it may
 * pass, wait or not.
 *
 * <p>Start with {@link dev.weir.engine.rules.RuleEvaluator}.
 */
package dev.weir.engine.rules;
