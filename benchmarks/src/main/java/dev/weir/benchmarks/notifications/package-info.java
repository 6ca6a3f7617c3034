/** The notifications benchmarks: Weir's way to send messages against a lock around each of them. */
package dev.weir.benchmarks.notifications;
