import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { fieldError, invalidRequest } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { filesDirectoryOf } from '../account-files';
import {
  DELETION_MODES,
  type Destination,
  DestinationError,
  type TargetColumn,
} from '../destination';
import type {
  DescribedColumn,
  DestinationKind,
  DestinationSettings,
  DestinationAccess,
} from '../destination-kind';
import { DuckdbDestination } from './duckdb-destination';
import { DuckdbFiles } from './duckdb-file';
import type { Source } from '../source';
import { TYPES } from './duckdb-sql';
import { DuckdbSource } from './duckdb-source';

/** Form of the name of a file. It is part of a path. */
const NAME = /^[a-z0-9_-]{1,64}$/;

/**
 * Files of DuckDB in a directory of the operator: `<directory>/<account>/<file>.duckdb`. Settings:
 * `{ "file": "sales" }`.
 */
@Injectable()
export class DuckdbKind implements DestinationKind {
  readonly hasSecret = false;
  readonly isExclusive = true;
  readonly deletionModes = DELETION_MODES;
  private readonly directory: string | undefined;
  private readonly files: DuckdbFiles;

  private readonly maxBytes: number;
  private readonly memoryBytes: number;

  constructor(config: AppConfig) {
    this.maxBytes = config.maxConnectionFilesBytes;
    this.memoryBytes = config.maxDuckdbMemoryBytes;
    this.directory = filesDirectoryOf(config);
    this.files = new DuckdbFiles({ memoryBytes: this.memoryBytes });
  }

  readSettings(settings: DestinationSettings): DestinationSettings {
    const { file, ...others } = settings;
    const details = Object.keys(others).map((name) =>
      fieldError(
        `settings.${name}`,
        'unknown_property',
        'is not a known property; expected one of: file',
      ),
    );
    if (file === undefined) {
      details.push(fieldError('settings.file', 'required', 'is required'));
    } else if (typeof file !== 'string') {
      details.push(fieldError('settings.file', 'wrong_type', 'must be a string'));
    } else if (!NAME.test(file)) {
      const message = 'must be 1 to 64 characters of a-z, 0-9, "_" and "-"';
      details.push(fieldError('settings.file', 'invalid_format', message));
    }
    if (details.length > 0) throw invalidRequest(details);
    return { file };
  }

  usesAccountFiles(): boolean {
    return true;
  }

  describeColumn({ name, type }: Pick<TargetColumn, 'name' | 'type'>): DescribedColumn {
    return { name, type: TYPES[type] };
  }

  create(target: DestinationAccess): Destination {
    return new DuckdbDestination(this.files, this.pathOf(target), this.maxBytes);
  }

  createSource(target: DestinationAccess): Source {
    return new DuckdbSource(this.pathOf(target), this.memoryBytes);
  }

  /** @throws DestinationError if the operator has chosen no directory. */
  private pathOf({ accountId, settings }: DestinationAccess): string {
    if (this.directory === undefined) {
      throw new DestinationError(
        'configuration',
        'DuckDB files are not enabled by the operator. The setting CONNECTION_FILES_DIR enables them.',
      );
    }
    const { file } = this.readSettings(settings);
    return join(this.directory, accountId, `${String(file)}.duckdb`);
  }
}
