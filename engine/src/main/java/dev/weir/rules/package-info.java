/**
 * Rules: the register of them, which of them cover a request, and whether it may pass, wait or not.
 *
 * <p>Start with {@link dev.weir.rules.RuleEvaluator}. What a rule contains is in {@link
 * dev.weir.rules.spec}, what it looks at in {@link dev.weir.rules.matching}, and the header fields
 * of responses in {@link dev.weir.rules.text}.
 */
@NullMarked
package dev.weir.rules;

import org.jspecify.annotations.NullMarked;
