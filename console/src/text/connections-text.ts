import { EN_CONNECTIONS } from './en/connections';

/** The texts of connections, in the language of the console. They load with their pages. */
export const connectionsText: typeof EN_CONNECTIONS = EN_CONNECTIONS;
