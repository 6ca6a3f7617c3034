package dev.weir.engine.rules;

/** So much of a rule, for a key. */
public record Asked(LimitedRule rule, String key, long cost) {}
