/**
 * How nodes tell each other about messages in PostgreSQL. Not for use outside of Weir: it may
 * change in any release.
 */
@NullMarked
package dev.weir.notifications.jdbc.internal;

import org.jspecify.annotations.NullMarked;
