-- What was carried out long ago is dropped by its time. Rows come nearly in its order, so that a few pages of summaries find them.
create index outbox_sent on platform.outbox using brin (sent_at) with (autosummarize = on);
