package dev.weir.http.endpoints;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an endpoint that reads query parameters and rejects unknown ones itself, together with
 * other violations. All other endpoints take none, and {@link QueryFilter} rejects them.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface ReadsQuery {}
