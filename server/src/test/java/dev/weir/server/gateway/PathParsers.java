package dev.weir.server.gateway;

import dev.weir.server.faults.Programs;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Parsers of services, each with the paths as which it reads a target. */
enum PathParsers {
  /** As {@code com.sun.net.httpserver} reads. */
  JAVA_URI {
    @Override
    Map<String, List<String>> read(Set<String> targets, Path folder) {
      Map<String, List<String>> read = new TreeMap<>();
      for (String target : targets) {
        try {
          String path = new URI(target).getPath();
          read.put(target, path == null ? List.of() : List.of(resolved(path)));
        } catch (URISyntaxException e) {
          read.put(target, List.of());
        }
      }
      return read;
    }
  },

  /** As Tomcat reads: parameters are removed first, then the rest is decoded and resolved. */
  SERVLET {
    @Override
    Map<String, List<String>> read(Set<String> targets, Path folder) {
      Map<String, List<String>> read = new TreeMap<>();
      for (String target : targets) {
        String path = target.split("[?#]", 2)[0].replaceAll(";[^/]*", "");
        read.put(target, List.of(resolved(decoded(path))));
      }
      return read;
    }
  },

  /** {@code new URL(…)}, and {@code url.parse(…)} with {@code path.normalize}. */
  NODE {
    @Override
    Map<String, List<String>> read(Set<String> targets, Path folder)
        throws IOException, InterruptedException {
      return ask(
          targets,
          folder,
          "node",
          "-e",
          """
          const url = require('url'), path = require('path');
          const decoded = p => { try { return decodeURIComponent(p); } catch { return p; } };
          for (const target of require('fs').readFileSync(0, 'latin1').split('\\n')) {
            const read = [];
            try { read.push(decoded(new URL(target, 'http://h').pathname)); } catch { }
            try { read.push(path.posix.normalize(decoded(url.parse(target).pathname))); } catch { }
            console.log(read.join('\\t'));
          }
          """);
    }
  },

  /** {@code net/http} with {@code path.Clean}, as its multiplexer does. */
  GO {
    @Override
    Map<String, List<String>> read(Set<String> targets, Path folder)
        throws IOException, InterruptedException {
      Path program =
          Files.writeString(
              folder.resolve("read.go"),
              """
              package main

              import (
                "bufio"
                "fmt"
                "net/url"
                "os"
                "path"
              )

              func main() {
                lines := bufio.NewScanner(os.Stdin)
                for lines.Scan() {
                  read := ""
                  if u, err := url.ParseRequestURI(lines.Text()); err == nil {
                    read = path.Clean("/" + u.Path)
                  }
                  fmt.Println(read)
                }
              }
              """);
      // Go compiles its own library first: without inlining that is a third less work.
      return ask(
          targets, folder, "go", "run", "-gcflags=all=-l", "-ldflags=-s -w", program.toString());
    }
  };

  /**
   * Returns the paths as which each target is read: none if it is refused, several if there are
   * several usual ways. Empty if the program is not on this machine.
   */
  abstract Map<String, List<String>> read(Set<String> targets, Path folder)
      throws IOException, InterruptedException;

  /** Writes the targets to a program, a line each, and reads a line for each of them. */
  private static Map<String, List<String>> ask(Set<String> targets, Path folder, String... command)
      throws IOException, InterruptedException {
    if (!Programs.isInstalled(command[0])) {
      System.out.println("There is no " + command[0] + " here: its way to read is not compared.");
      return Map.of();
    }
    Path input = folder.resolve("targets");
    Path output = folder.resolve("read");
    Files.write(input, targets, StandardCharsets.ISO_8859_1);
    Process process =
        new ProcessBuilder(command)
            .redirectInput(input.toFile())
            .redirectOutput(output.toFile())
            .redirectError(folder.resolve("errors").toFile())
            .start();
    if (process.waitFor() != 0) {
      throw new IOException(Files.readString(folder.resolve("errors")));
    }
    List<String> lines = Files.readAllLines(output);
    Map<String, List<String>> read = new TreeMap<>();
    int line = 0;
    for (String target : targets) {
      read.put(
          target,
          Stream.of(lines.get(line++).split("\t", -1)).filter(path -> !path.isEmpty()).toList());
    }
    return read;
  }

  private static String resolved(String path) {
    Deque<String> segments = new ArrayDeque<>();
    for (String segment : path.split("/", -1)) {
      if (segment.equals("..")) {
        segments.pollLast();
      } else if (!segment.isEmpty() && !segment.equals(".")) {
        segments.addLast(segment);
      }
    }
    return "/" + String.join("/", new ArrayList<>(segments));
  }

  private static String decoded(String text) {
    StringBuilder decoded = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      boolean isEncoded =
          text.startsWith("%", i) && text.substring(i).matches("(?s)%[0-9A-Fa-f]{2}.*");
      decoded.append(isEncoded ? (char) Integer.parseInt(text, i + 1, i + 3, 16) : text.charAt(i));
      i += isEncoded ? 2 : 0;
    }
    return decoded.toString();
  }
}
