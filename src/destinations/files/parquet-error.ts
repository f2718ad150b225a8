import { DestinationError } from '../destination';
import type { ErrorMeanings } from '../duckdb/duckdb-error';

const DISK_FULL = 'The disk is full. Nothing was changed. The sync continues once there is space.';

/** Messages of DuckDB when it reads or writes Parquet files. The first match counts. */
export const PARQUET_MEANINGS: ErrorMeanings = [
  [
    /No space left on device|ENOSPC|EDQUOT|Disk quota exceeded|File too large|Could not write all bytes|max_temp_directory_size|failed to offload/i,
    'unavailable',
    DISK_FULL,
  ],
  [
    /^Out of Memory Error|bad_alloc/i,
    'unavailable',
    'The sync needs more memory than the operator allows. Nothing was changed.',
  ],
  [
    /magic bytes|Parquet|Thrift|TProtocol|ZSTD|Snappy|No files found|footer|^Serialization Error|^Invalid Input Error: Failed to (read|cast)/i,
    'inconsistent',
    'A data file is not valid anymore. The table must be loaded again.',
  ],
  [
    /Permission denied|Read-only file system/i,
    'unavailable',
    'The work directory cannot be written. The operator must give the service access to it.',
  ],
  [
    /^FATAL|has been invalidated|^IO Error|^INTERRUPT|^Connection Error/i,
    'unavailable',
    'A file could not be read or written. Nothing was changed. The sync is repeated.',
  ],
];

/** Returns the error of an access to files of this machine. */
export function diskError(cause: unknown): DestinationError {
  const { code = '' } = cause as NodeJS.ErrnoException;
  const message = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)
    ? DISK_FULL
    : 'The directory of the files cannot be read or written. The operator must give the service access to it.';
  return new DestinationError('unavailable', message, { cause });
}

/** Returns the failure of a file that is not as a sync has written it. */
export function notAsWritten(): DestinationError {
  const message = 'A data file was changed or replaced. The table must be loaded again.';
  return new DestinationError('inconsistent', message);
}
