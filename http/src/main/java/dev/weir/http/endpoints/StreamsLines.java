package dev.weir.http.endpoints;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an endpoint that reads its body as a stream, in the media types of lines that it consumes.
 * All other endpoints accept only JSON, and {@code CrossSiteFilter} rejects the rest. None of these
 * types may be one that a page can send to another origin without a preflight request.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface StreamsLines {}
