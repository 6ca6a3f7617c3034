package dev.weir.server.http;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An endpoint that answers under any {@code Host}, because its callers cannot choose one: probes
 * and proxies. Every other endpoint answers only to {@link AllowedHosts}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface AnyHost {}
