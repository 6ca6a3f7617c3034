// Reads text/event-stream. A pure parser: the browser's EventSource cannot send a token.

/** Returns a function that takes pieces of text and calls `onEvent(name, data)` for each event. */
export function eventParser(onEvent) {
  let rest = "";
  let name = "";
  let data = [];

  function line(text) {
    if (text === "") {
      if (data.length > 0) onEvent(name || "message", data.join("\n"));
      name = "";
      data = [];
      return;
    }
    if (text.startsWith(":")) return;
    const colon = text.indexOf(":");
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + 1).replace(/^ /, "");
    if (field === "event") name = value;
    else if (field === "data") data.push(value);
  }

  return (piece) => {
    rest += piece;
    // A carriage return at the end may be the first half of a line break.
    let end;
    while ((end = rest.search(/\r\n|\n|\r(?!$)/)) >= 0) {
      const broken = rest.startsWith("\r\n", end) ? 2 : 1;
      line(rest.slice(0, end));
      rest = rest.slice(end + broken);
    }
  };
}
