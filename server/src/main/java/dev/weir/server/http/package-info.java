/**
 * What every HTTP endpoint needs, whatever it is about: problems, JSON, fields, authentication,
 * connections and draining.
 */
@NullMarked
package dev.weir.server.http;

import org.jspecify.annotations.NullMarked;
