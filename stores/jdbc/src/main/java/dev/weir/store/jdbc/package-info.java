/**
 * Connections, transactions and change notifications of a PostgreSQL database; the stores are in
 * the packages {@code slots}, {@code limits} and {@code rules}.
 */
@NullMarked
package dev.weir.store.jdbc;

import org.jspecify.annotations.NullMarked;
