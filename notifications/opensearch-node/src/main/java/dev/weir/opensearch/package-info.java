/** A real OpenSearch node that tests start as a process. */
@NullMarked
package dev.weir.opensearch;

import org.jspecify.annotations.NullMarked;
