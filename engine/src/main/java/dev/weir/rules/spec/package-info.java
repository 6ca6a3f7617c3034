/**
 * What a rule contains: its fields with their bounds, which requests it covers, and what it allows.
 */
@NullMarked
package dev.weir.rules.spec;

import org.jspecify.annotations.NullMarked;
