/** The endpoints of health, metrics and the API documentation. */
@NullMarked
package dev.weir.server.operations;

import org.jspecify.annotations.NullMarked;
