package dev.weir.store.tck;

interface NodeClaims extends Claims {}
