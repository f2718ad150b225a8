/**
 * Thrown if the database of the columnar copies has failed: its process has ended, its disk is full, or a
 * statement needs too much memory. PostgreSQL has the rows.
 */
export class CopyFailedError extends Error {}
