-- With the line, so that the cancelled payments of a chunk are found without reading those of the
-- whole feed.
drop index payment_unpaid;
create index payment_unpaid on payment (feed_no, state, line) where state in (4, 5);
