/** The gateway: a load, and a check of G1 to G5. */
@NullMarked
package dev.weir.torture.gateway;

import org.jspecify.annotations.NullMarked;
