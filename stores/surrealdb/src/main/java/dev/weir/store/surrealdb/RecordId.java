package dev.weir.store.surrealdb;

/** The id of a record, as a value in the parameters of a query. */
record RecordId(String table, String key) {}
