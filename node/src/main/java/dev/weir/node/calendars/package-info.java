/** Calendars as JSON, which slots and the limits of users have. */
@NullMarked
package dev.weir.node.calendars;

import org.jspecify.annotations.NullMarked;
