/** Calendars as JSON, which slots and the limits of users have. */
@NullMarked
package dev.weir.server.calendars;

import org.jspecify.annotations.NullMarked;
