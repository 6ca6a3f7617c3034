/** The endpoints of slots and their configurations. */
@NullMarked
package dev.weir.server.slots;

import org.jspecify.annotations.NullMarked;
