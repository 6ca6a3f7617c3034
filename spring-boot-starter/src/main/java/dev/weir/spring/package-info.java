/**
 * Weir's rules as a filter in somebody's service: what a request is in Spring MVC and in WebFlux,
 * and what is put together at start. Spring puts it together; nobody has to name these classes.
 */
package dev.weir.spring;
