/** Small programs that use Weir's libraries; the tests compile and run each of them. */
@NullMarked
package dev.weir.examples;

import org.jspecify.annotations.NullMarked;
