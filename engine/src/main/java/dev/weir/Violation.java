package dev.weir;

/** An invalid field and what is wrong with it. */
public record Violation(String field, String message) {}
