/**
 * Weir's rules as a filter of a Spring service: the adapters of requests in Spring MVC and in
 * WebFlux, and the auto-configuration. Spring creates these classes; applications need not name
 * them.
 */
package dev.weir.spring;
