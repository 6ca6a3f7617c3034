package dev.weir.http.endpoints;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an endpoint that accepts any {@code Host}, because its callers, probes and proxies, cannot
 * choose one. All other endpoints accept only {@code AllowedHosts}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface AnyHost {}
