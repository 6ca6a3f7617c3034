/**
 * The endpoints of rules: checks by name, authorization of proxied requests, and administration.
 */
@NullMarked
package dev.weir.server.rules;

import org.jspecify.annotations.NullMarked;
