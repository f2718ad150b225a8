import pg from 'pg';

interface Parsing {
  parse(query: { name: string; text: string }, ...rest: unknown[]): void;
}

const INSERT = /INSERT INTO datagrid_changes \([^)]*\)/g;

/**
 * If BENCH_WITHOUT_LOG is set, no statement of this process inserts an entry of the change log. What
 * was the INSERT becomes a query that PostgreSQL does not run, because nothing reads its result. All
 * else is the same: the parameters, the other parts of the statement, the code of the service.
 */
function removeLog(): void {
  const prototype = pg.Connection.prototype as unknown as Parsing;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with `this` below
  const { parse } = prototype;
  prototype.parse = function (this: Parsing, query, ...rest) {
    parse.call(this, { ...query, text: query.text.replace(INSERT, '') }, ...rest);
  };
}

if (process.env['BENCH_WITHOUT_LOG'] !== undefined) removeLog();
