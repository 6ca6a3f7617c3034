/** Health, metrics and the documentation of the API. */
@NullMarked
package dev.weir.server.operations;

import org.jspecify.annotations.NullMarked;
