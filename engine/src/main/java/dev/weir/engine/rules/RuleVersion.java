package dev.weir.engine.rules;

/**
 * A rule as somebody once made it.
 *
 * @param rule {@link Rule#updatedAt} is when that was
 * @param changedBy who it was, as far as that is known
 * @param isRemoval whether this is how the rule ended
 */
public record RuleVersion(Rule rule, String changedBy, boolean isRemoval) {}
