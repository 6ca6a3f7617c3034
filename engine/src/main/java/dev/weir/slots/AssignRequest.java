package dev.weir.slots;

/** A slot request with the configuration that the node considers current. */
public record AssignRequest(SlotRequest request, SlotConfig config) {}
