/**
 * Plans of batches, the memory store, and what a server needs of slots beside the API. Not for use
 * outside of Weir: it may change in any release.
 */
@NullMarked
package dev.weir.slots.internal;

import org.jspecify.annotations.NullMarked;
