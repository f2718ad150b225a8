import { withClient } from '../../support/database-url';

/** Makes every insert of rows sleep in the database while it holds the datagrid's lock. */
export function sleepInWrites(databaseUrl: string, seconds: number): Promise<unknown> {
  return withClient(databaseUrl, (client) =>
    client.query(`
      CREATE FUNCTION sleepy() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN PERFORM pg_sleep(${String(seconds)}); RETURN NEW; END $$;
      CREATE TRIGGER sleepy BEFORE INSERT ON rows FOR EACH STATEMENT EXECUTE FUNCTION sleepy()`),
  );
}

/** Ends the sleeps of later inserts. */
export function wakeWrites(databaseUrl: string): Promise<unknown> {
  return withClient(databaseUrl, (client) =>
    client.query('DROP TRIGGER sleepy ON rows; DROP FUNCTION sleepy()'),
  );
}
