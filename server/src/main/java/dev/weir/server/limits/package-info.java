/** The endpoints of limits that are defined by resource: token buckets and concurrency. */
@NullMarked
package dev.weir.server.limits;

import org.jspecify.annotations.NullMarked;
