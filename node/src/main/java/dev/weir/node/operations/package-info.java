/**
 * Health and metrics as operators read them, and a port of their own for programs without the API.
 */
@NullMarked
package dev.weir.node.operations;

import org.jspecify.annotations.NullMarked;
