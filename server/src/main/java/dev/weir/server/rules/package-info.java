/**
 * The endpoints of rules: checks by name, the authorization of proxied requests, and the
 * administration of rules.
 */
@NullMarked
package dev.weir.server.rules;

import org.jspecify.annotations.NullMarked;
