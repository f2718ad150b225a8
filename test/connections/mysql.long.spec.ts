import { describeMariadb } from '../support/mariadb-server';
import { describeDestination } from './destination-contract';
import { startMysql } from './mysql-server';

describeMariadb('a MariaDB destination', () => {
  describeDestination(() => startMysql());
});

describeMariadb('a MariaDB destination without LOAD DATA', () => {
  describeDestination(() => startMysql(['--local-infile=0']));
});
