import { DataSource } from 'typeorm';
import { ENTITIES } from './src/entity-list';
import { configFromEnvironment } from './src/platform/config/app-config';
import { dataSourceOptions } from './src/platform/database/data-source-options';

/** For TypeORM's own command line: `npx typeorm -d dist/ormconfig.js migration:…`. */
const config = configFromEnvironment();
const { databasePoolSize: poolSize, lockTimeoutMs } = config;
const url = config.databaseDirectUrl ?? config.databaseUrl;
if (url === undefined) throw new Error('Set DATABASE_URL.');

export default new DataSource(dataSourceOptions({ url, poolSize, lockTimeoutMs }, ENTITIES));
