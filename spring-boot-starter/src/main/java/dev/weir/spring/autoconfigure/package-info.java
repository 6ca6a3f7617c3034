/** The beans that Weir adds to a service, and the check of its properties. */
package dev.weir.spring.autoconfigure;
