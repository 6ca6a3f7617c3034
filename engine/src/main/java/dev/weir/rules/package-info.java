/**
 * Rules: which of them cover a request, by which key it is counted, and whether it may pass, wait
 * or not.
 *
 * <p>Start with {@link dev.weir.rules.RuleEvaluator}.
 */
@NullMarked
package dev.weir.rules;

import org.jspecify.annotations.NullMarked;
