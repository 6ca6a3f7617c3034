/**
 * What tests of services with Weir use: a clock that stands still, rules in memory, and a server in
 * a process of its own. Depends on no test framework.
 *
 * <p>Start with {@link dev.weir.testing.TestClock}.
 */
@NullMarked
package dev.weir.testing;

import org.jspecify.annotations.NullMarked;
