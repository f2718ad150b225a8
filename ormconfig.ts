import { DataSource } from 'typeorm';
import { ENTITIES } from './src/entity-list';
import { readConfig } from './src/platform/config/app-config';
import { dataSourceOptions } from './src/platform/database/data-source-options';

/** For TypeORM's own command line: `npx typeorm -d dist/ormconfig.js migration:…`. */
const config = readConfig(process.env);
if (config.databaseUrl === undefined) throw new Error('Set DATABASE_URL.');

export default new DataSource(
  dataSourceOptions({ url: config.databaseUrl, poolSize: config.databasePoolSize }, ENTITIES),
);
