package dev.weir.benchmarks.services;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Sends single requests, to inspect the responses of a service. */
final class Http {
  private Http() {}

  static String get(URI address) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(address).build());
  }

  static String post(URI address, String json) throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(address)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build());
  }

  private static String send(HttpRequest request) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(request.uri() + " answers " + answer.statusCode());
      }
      return answer.body();
    }
  }
}
