package dev.weir.core.slots;

/** An invalid field and what is wrong with it. */
public record Violation(String field, String message) {}
