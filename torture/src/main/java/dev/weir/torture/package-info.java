/**
 * Hunts for broken promises: real nodes under load and faults, and a checker of what they answered.
 */
@NullMarked
package dev.weir.torture;

import org.jspecify.annotations.NullMarked;
