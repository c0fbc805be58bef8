-- How many events were given up is asked for by every scrape of the metrics.
create index outbox_given_up on platform.outbox (outbox_id) where dead_at is not null;
