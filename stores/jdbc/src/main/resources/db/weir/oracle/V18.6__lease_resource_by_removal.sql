create index lease_resource_by_removal on lease_resource (remove_at);
