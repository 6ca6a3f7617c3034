package dev.weir.store.tck;

interface TraceClaims extends Claims {}
