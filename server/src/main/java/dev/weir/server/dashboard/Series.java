package dev.weir.server.dashboard;

import dev.weir.limits.AcquireResult;
import dev.weir.rules.RuleCounters;

/** What is recorded for each second. A value that is not a number means that there is none. */
enum Series {
  ALLOWED("allowed", Merge.SUM),
  REFUSED("refused", Merge.SUM),
  QUEUED("queued", Merge.SUM),
  REPLAYED("replayed", Merge.SUM),
  SHADOW_ALLOWED("shadowAllowed", Merge.SUM),
  SHADOW_REFUSED("shadowRefused", Merge.SUM),
  SHADOW_UNDECIDED("shadowUndecided", Merge.SUM),
  SLOTS_ASSIGNED("slotsAssigned", Merge.SUM),
  SLOTS_REPLAYED("slotsReplayed", Merge.SUM),
  SLOTS_REFUSED("slotsRefused", Merge.SUM),
  SLOTS_FAILED("slotsFailed", Merge.SUM),
  WAITING("waiting", Merge.LATEST),
  SLOTS_WAITING("slotsWaiting", Merge.LATEST),
  SLOT_P50("slotP50Ms", Merge.MAX),
  SLOT_P99("slotP99Ms", Merge.MAX),
  CHECK_P50("checkP50Ms", Merge.MAX),
  CHECK_P99("checkP99Ms", Merge.MAX),
  GATEWAY_P50("gatewayP50Ms", Merge.MAX),
  GATEWAY_P99("gatewayP99Ms", Merge.MAX),
  MODE_STORE("modeStore", Merge.SUM),
  MODE_FALLBACK("modeFallback", Merge.SUM),
  MODE_LOCAL("modeLocal", Merge.SUM),
  MODE_OPEN("modeOpen", Merge.SUM),
  MODE_CLOSED("modeClosed", Merge.SUM),
  STORE_UP("storeUp", Merge.LATEST);

  private final String jsonName;
  private final Merge merge;

  Series(String jsonName, Merge merge) {
    this.jsonName = jsonName;
    this.merge = merge;
  }

  /** How two values of the same second become one. */
  private enum Merge {
    SUM,
    MAX,
    LATEST
  }

  String jsonName() {
    return jsonName;
  }

  /** Returns the value of a second for which two values were recorded. */
  double merged(double earlier, double later) {
    return switch (merge) {
      case SUM -> earlier + later;
      case LATEST -> later;
      case MAX -> Double.isNaN(earlier) || later > earlier ? later : earlier;
    };
  }

  /** Returns the series of a kind of decisions. */
  static Series of(RuleCounters.Kind kind) {
    return switch (kind) {
      case ALLOWED -> ALLOWED;
      case REFUSED -> REFUSED;
      case QUEUED -> QUEUED;
      case REPLAYED -> REPLAYED;
      case SHADOW_ALLOWED -> SHADOW_ALLOWED;
      case SHADOW_REFUSED -> SHADOW_REFUSED;
      case SHADOW_UNDECIDED -> SHADOW_UNDECIDED;
    };
  }

  /** Returns the series of the decisions in a mode. */
  static Series of(AcquireResult.Mode mode) {
    return switch (mode) {
      case STORE -> MODE_STORE;
      case FALLBACK -> MODE_FALLBACK;
      case LOCAL -> MODE_LOCAL;
      case OPEN -> MODE_OPEN;
      case CLOSED -> MODE_CLOSED;
    };
  }
}
