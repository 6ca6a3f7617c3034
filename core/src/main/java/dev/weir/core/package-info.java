/** What slots and limits share: the unit of time. */
package dev.weir.core;
