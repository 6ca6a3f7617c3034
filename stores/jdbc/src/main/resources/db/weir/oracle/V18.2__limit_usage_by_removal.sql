create index limit_usage_by_removal on limit_usage (remove_at);
