/**
 * Slots on a database. {@link dev.weir.store.jdbc.slots.JdbcSlotLedger} gives them, {@link
 * dev.weir.store.jdbc.slots.JdbcSlotConfigs} keeps configurations; {@code db/weir} holds the
 * tables.
 */
package dev.weir.store.jdbc;
