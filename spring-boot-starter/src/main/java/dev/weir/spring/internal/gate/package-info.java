/**
 * Decides about requests, by rules of the service or by a Weir server, whatever the web server is.
 */
package dev.weir.spring.internal.gate;
