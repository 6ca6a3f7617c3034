/** HTTP: endpoints, their JSON, and problems. */
package dev.weir.server.http;
