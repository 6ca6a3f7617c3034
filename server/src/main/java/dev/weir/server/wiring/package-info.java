/**
 * Puts the program together: settings, stores, engine, endpoints. The only room that knows stores.
 */
package dev.weir.server.wiring;
