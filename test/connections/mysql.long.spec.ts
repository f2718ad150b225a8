import type { RowDataPacket } from 'mysql2/promise';
import { describeMariadb, MariadbServer } from '../support/mariadb-server';
import { csv, row } from './contract-lines';
import { TWO } from './contract-tables';
import { describeDestination } from './destination-contract';
import { destinationFor, startMysql } from './mysql-server';

describeMariadb('a MariaDB destination', () => {
  describeDestination(() => startMysql());

  it('says in the comment of a table who writes it', async () => {
    const server = await MariadbServer.start();
    try {
      const id = '01a20b88-836c-7087-8461-dc83636ac817';
      const table = { id, name: 'peaks', deletions: 'delete' } as const;
      const writer = await destinationFor(server).open(table);
      await writer.claim(1);
      await writer.beginLoad(TWO, 'begun');
      await writer.append(TWO, csv([row(1, 1, 'a', '1')]), 'loaded');
      await writer.finishLoad(TWO, 'finished');
      await writer.close();
      const reader = await server.connect();
      const [found] = await reader.query<RowDataPacket[]>(
        "SELECT TABLE_COMMENT AS comment FROM information_schema.TABLES WHERE TABLE_NAME = 'peaks'",
      );
      reader.destroy();
      const start = `Kept in sync by a connection of the datagrid platform. Table ${id}.`;
      expect(found[0]?.['comment']).toMatch(new RegExp(`^${start}`));
    } finally {
      await server.remove();
    }
  });
});

describeMariadb('a MariaDB destination without LOAD DATA', () => {
  describeDestination(() => startMysql(['--local-infile=0']));
});
