/**
 * Thrown if the database of the columnar copies has failed: its process has ended, its disk is full, or a
 * statement needs too much memory or has too long a result. PostgreSQL then serves the query.
 */
export class CopyFailedError extends Error {}
