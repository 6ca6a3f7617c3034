package dev.weir.core.slots;

/** What is wrong with one field of something that somebody wrote. */
public record Violation(String field, String message) {}
