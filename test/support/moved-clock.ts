/**
 * A clock that a test moves ahead: that of the process and that of its database, whose `now()` is hidden by one that is moved as far. Times that stand in
 * rows stay, so that what comes due does so as it will for people. Timers of Node and of Temporal go on: whoever moves the clock wakes what waits for them.
 */
import type postgres from 'postgres'

import type { World } from './world.ts'

const RealDate = Date
let movedMs = 0

class MovedDate extends RealDate {
  constructor(...parts: readonly unknown[]) {
    // Date takes what was given to it; without anything it is now.
    super(...((parts.length === 0 ? [RealDate.now() + movedMs] : parts) as [number]))
  }
  static override now(): number {
    return RealDate.now() + movedMs
  }
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof RealDate
  }
}

/** Before anybody connects: names without a schema are looked for in `clock` before the database's own. */
export async function hideClock(sql: postgres.Sql): Promise<void> {
  const [row] = await sql<{ database: string }[]>`select current_database() as database`
  await sql.unsafe(`
    create schema clock;
    create table clock.moved (by interval not null);
    insert into clock.moved values (interval '0');
    create function clock.now() returns timestamptz language sql stable as 'select pg_catalog.now() + by from clock.moved';
    create function clock.clock_timestamp() returns timestamptz language sql volatile as 'select pg_catalog.clock_timestamp() + by from clock.moved';
    grant usage on schema clock to public;
    grant select on clock.moved to public;
    -- Defaults hold the function itself, and not its name.
    do $$ declare one record; begin
      for one in select table_name, column_name, column_default from information_schema.columns
        where table_schema = 'platform' and column_default ~ '\\mnow\\(\\)'
      loop
        execute format('alter table platform.%I alter column %I set default %s', one.table_name, one.column_name,
          regexp_replace(one.column_default, '\\mnow\\(\\)', 'clock.now()', 'g'));
      end loop;
    end $$;
    alter database ${row?.database ?? ''} set search_path = clock, pg_catalog, "$user", public;`)
}

export interface MovedClock {
  now(): Date
  /** Ahead to this time. */
  moveTo(at: Date): Promise<void>
  /** The process has its own again. */
  stop(): void
}

/** Of a world that was opened with `hideClock`. */
export function moveClock({ sql }: World): MovedClock {
  globalThis.Date = MovedDate as DateConstructor
  return {
    now: () => new Date(),
    async moveTo(at) {
      const aheadMs = at.getTime() - Date.now()
      if (aheadMs < 0) throw new Error('A clock is moved ahead alone')
      movedMs += aheadMs
      await sql`update clock.moved set by = make_interval(secs => ${movedMs / 1_000}::float8)`
    },
    stop() {
      globalThis.Date = RealDate
      movedMs = 0
    },
  }
}
