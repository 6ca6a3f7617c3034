/** The filter and requests of a service on WebFlux. */
package dev.weir.spring.internal.reactive;
