/** The header fields that describe policies and their state to clients. */
@NullMarked
package dev.weir.rules.text;

import org.jspecify.annotations.NullMarked;
