package dev.weir.node.settings;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Describes in words why a file operation failed; Java expresses it only by the exception type. */
public final class FileProblem {
  private FileProblem() {}

  public static String text(IOException failed) {
    return switch (failed) {
      case NoSuchFileException missing -> missing.getFile() + ": no such file or folder";
      case AccessDeniedException denied -> denied.getFile() + ": permission denied";
      case FileAlreadyExistsException exists -> exists.getFile() + ": exists and is no folder";
      case NotDirectoryException file -> file.getFile() + ": is no folder";
      case FileSystemException other -> String.valueOf(other.getMessage());
      case CharacterCodingException invalid -> "it is not UTF-8 text";
      default -> failed.getMessage() == null ? "reading failed" : failed.getMessage();
    };
  }
}
