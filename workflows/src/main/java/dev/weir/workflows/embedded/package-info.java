/** Temporal's test server inside this process, for programs that need no server of their own. */
@NullMarked
package dev.weir.workflows.embedded;

import org.jspecify.annotations.NullMarked;
