package dev.weir.engine.slots;

/** A request with the configuration that the node believes to be in force. */
public record AssignRequest(SlotRequest request, SlotConfig config) {}
