/** Settings: what they are, where they come from, and those that every part reads. */
@NullMarked
package dev.weir.node.settings;

import org.jspecify.annotations.NullMarked;
