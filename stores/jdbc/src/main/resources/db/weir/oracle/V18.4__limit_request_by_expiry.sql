create index limit_request_by_expiry on limit_request (expires_at);
