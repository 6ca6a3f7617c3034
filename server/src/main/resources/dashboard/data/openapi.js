// Reads what Try it needs from the OpenAPI document. Pure functions.

const METHODS = ["get", "put", "post", "delete", "patch"];

/** Follows a reference within the document. */
export function resolved(document, node) {
  if (!node || typeof node !== "object" || typeof node.$ref !== "string") return node ?? {};
  const target = node.$ref.replace(/^#\//, "").split("/")
    .reduce((at, name) => at?.[name.replaceAll("~1", "/").replaceAll("~0", "~")], document);
  const { $ref, ...rest } = node;
  return { ...resolved(document, target), ...rest };
}

/** The operations of the document, in its order: id, method, path, tag, summary, parameters, bodies. */
export function operations(document) {
  const found = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
        .map((parameter) => resolved(document, parameter))
        .map((parameter) => ({ ...parameter, schema: resolved(document, parameter.schema) }));
      found.push({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        tag: operation.tags?.[0] ?? "Others",
        summary: operation.summary ?? "",
        description: operation.description ?? "",
        secured: (operation.security ?? []).length > 0,
        parameters,
        bodies: bodies(document, operation.requestBody),
      });
    }
  }
  return found;
}

function bodies(document, requestBody) {
  return Object.entries(resolved(document, requestBody).content ?? {}).map(([type, content]) => ({
    type,
    examples: Object.entries(content.examples ?? {}).map(([name, example]) => {
      const { summary, value } = resolved(document, example);
      return { name, summary: summary ?? name, text: bodyText(value) };
    }),
  }));
}

function bodyText(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Operations by tag, in the order of the document's tags. */
export function byTag(document, list) {
  const order = (document.tags ?? []).map((tag) => tag.name);
  const groups = new Map(order.map((name) => [name, []]));
  for (const operation of list) {
    if (!groups.has(operation.tag)) groups.set(operation.tag, []);
    groups.get(operation.tag).push(operation);
  }
  return [...groups].filter(([, members]) => members.length > 0);
}

/** An example for a parameter. */
export function exampleOf(parameter) {
  if (parameter.example !== undefined) return String(parameter.example);
  const [first] = Object.values(parameter.examples ?? {});
  return first?.value === undefined ? "" : String(first.value);
}

/** The request of filled-in values: `{url, headers}`. Values that are empty are left out, except in the path. */
export function requestOf(operation, values) {
  const headers = {};
  const query = new URLSearchParams();
  let path = operation.path;
  for (const parameter of operation.parameters) {
    const value = values[`${parameter.in}.${parameter.name}`] ?? "";
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (value === "") continue;
    else if (parameter.in === "query") query.set(parameter.name, value);
    else if (parameter.in === "header") headers[parameter.name] = value;
  }
  const text = query.toString();
  return { url: text ? `${path}?${text}` : path, headers };
}
