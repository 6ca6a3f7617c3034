package dev.weir.server.notifications;

/** The base of all laws of notifications: what they are tried on. */
interface NotificationLaws {
  NotificationStage stage();
}
