/** What callers send: documents and their fields, queries and segments of paths, read strictly. */
@NullMarked
package dev.weir.http.fields;

import org.jspecify.annotations.NullMarked;
