/**
 * Slots on a database. {@link dev.weir.store.jdbc.JdbcSlotLedger} gives them, {@link
 * dev.weir.store.jdbc.JdbcSlotConfigs} keeps configurations; {@code db/weir} holds the tables.
 */
package dev.weir.store.jdbc;
