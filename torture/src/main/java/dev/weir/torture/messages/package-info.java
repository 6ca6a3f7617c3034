/** Messages of users, which a provider sends. */
@NullMarked
package dev.weir.torture.messages;

import org.jspecify.annotations.NullMarked;
