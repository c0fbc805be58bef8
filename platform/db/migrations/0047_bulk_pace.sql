-- How fast messages to many go out on a channel: each has its turn, and the channel knows when the next one is.
alter table platform.channel add column next_turn timestamptz;
alter table platform.message add column not_before timestamptz;
