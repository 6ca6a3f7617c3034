/**
 * Weir in a Spring service: what applications write, which is the annotation of limited methods,
 * the exception of refused calls, and the properties.
 */
package dev.weir.spring;
