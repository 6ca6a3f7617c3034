package dev.weir.server.cli;

import dev.weir.client.JsonObject;
import java.util.List;

/** The calls by which entries of a feed reach the server. */
interface EntryCalls {
  /** Sends entries, of which each is one JSON object; returns an answer for each, in order. */
  List<JsonObject.Element> send(List<FeedLine.Entry> entries);

  /** Sends an entry that is no JSON object, so that the server says what is wrong with it. */
  JsonObject.Element sendLine(FeedLine.Entry entry);
}
