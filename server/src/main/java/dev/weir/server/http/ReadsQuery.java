package dev.weir.server.http;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An endpoint that reads query parameters and refuses unknown ones itself, together with whatever
 * else is wrong. Every other endpoint has none, and {@link QueryFilter} refuses them.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface ReadsQuery {}
