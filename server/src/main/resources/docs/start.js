SwaggerUIBundle({
  url: "/openapi.yaml",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  // An example of lines is offered as one JSON text; what has to be sent are the lines.
  requestInterceptor: (request) => {
    const type = request.headers && request.headers["Content-Type"];
    if (type === "application/x-ndjson" && /^"/.test(request.body)) {
      request.body = JSON.parse(request.body);
    }
    return request;
  },
});
