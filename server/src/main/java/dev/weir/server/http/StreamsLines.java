package dev.weir.server.http;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An endpoint that also reads its body as a stream of JSON lines. Every other endpoint takes JSON
 * only, and {@link CrossSiteFilter} refuses the rest.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface StreamsLines {}
